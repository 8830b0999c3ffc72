"""Words that mean much the same, for questions put in other words than what was told. A table, nothing else.

Each line is a group; a word may stand in several. General English only: what a group joins is taken for a hint, never
for a proof, and what is found by it is given word for word.
"""

from __future__ import annotations

_LINES = """
    hide stash bury conceal put keep leave store stow place lay lie tuck
    live dwell reside home lodge sleep stay house move
    like love favourite favorite enjoy adore prefer fond
    hate dislike detest loathe despise
    fear afraid scare fright dread terrify
    begin start open
    end finish stop close shut
    buy purchase own
    repair mend fix patch restore
    boat ship vessel skiff dinghy ferry barge
    doctor healer physician surgeon
    dentist teeth tooth
    father dad papa
    mother mum mom mama
    child kid baby infant
    child son boy
    child daughter girl
    parent father mother
    sibling brother sister
    marry wedding husband wife spouse bride groom
    money coin cash saving fortune
    price cost pay fee charge worth
    owe debt borrow lend loan
    job work trade profession occupation craft living employ earn
    old age aged ancient
    big large huge great size
    small little tiny
    ill sick unwell disease suffer
    die dead death pass perish drown kill
    arrive come return back reach
    go leave depart travel journey sail
    speak talk chat
    say tell mention
    meet gather assemble meeting
    path road way street trail lane
    eat food meal dinner supper lunch breakfast dish feed taste
    drink beverage wine beer ale tea
    password passphrase code watchword
    give gift present
    night evening tonight
    dawn sunrise morning
    noon midday
    dog hound puppy
    cat kitten
    horse mare pony stallion
    friend companion mate
    enemy foe rival
    steal thief rob theft burglar
    sing song tune choir
    music instrument violin cello flute piano fiddle drum harp trumpet guitar lute
    story tale legend
    bring carry fetch
    want wish need desire
    lack miss lose need
    belong possess own whose
    unlock lock
    make build create construct knit sew carve
    break crack smash shatter split damage destroy wrong
    burn fire flame blaze
    cloth wear coat dress scarf hat shirt
    fish carp trout eel pike salmon
    bird heron owl swift swan duck goose
    flower tulip rose lily daisy
    tree oak elm yew walnut birch willow pine
    stair step staircase
    cellar basement vault
    attic loft garret
    shop store market bakery
    inn tavern pub hotel guesthouse
    room chamber
    teach teacher schoolteacher school tutor
    learn study
    search seek hunt
    see spot notice glimpse
    late delay tardy
    early soon
    country land nation
    town city village
    born birth birthday birthplace
    hurt wound injure break wrist
    angry cross furious quarrel argue row fight
    glad happy merry
    cry weep
    laugh smile
    garden bed orchard
    river stream brook canal
    lake pond pool
    sea ocean
    rain wet storm
    snow frost ice
    key latch
    letter note message post mail
    book volume novel
    paint picture portrait canvas drawing
    jewel ring necklace gem ruby diamond
    gold golden gilt
    rich wealthy
    poor needy
    king queen prince princess duke
    priest vicar parson monk
    soldier guard watchman
    invent discover devise
    throw toss fling cast
    fall drop tumble
    run flee escape
    catch take capture grab
    allergic poison
    secret hidden
    clever wise
    strange odd special peculiar unusual
    true real
    full complete
    empty bare
    clean wash
    hot warm heat
    cold cool chilly
    quick fast swift
    slow sluggish
    nice kind pleasant
    mad crazy insane
    blind eye
    lame limp leg
    deaf ear
    visit guest visitor
    neighbour neighbor
    wait await
    promise swear vow pledge oath
    forbid ban
    allow let permit
    sail captain crew
    ghost spirit haunt
    murder kill slay
"""

ALIKE = tuple(line.strip() for line in _LINES.strip().splitlines())
"""The groups, words parted by spaces."""
