"""What a question can ask for, and the turns of phrase by which it is known. Tables; `questions` reads with them."""

from __future__ import annotations

import re
from enum import StrEnum


class Asks(StrEnum):
    """What a question asks for."""

    HOW_ARE_YOU = "how are you"
    WHO_ARE_YOU = "who are you"
    YOURSELF = "what are you like"
    TRUST = "can you keep a secret"
    TRADE = "what do you do for a living"
    DOING = "what have you been doing"
    KNOW_ME = "do you know me"
    MY_NAME = "what is my name"
    ABOUT_ME = "what do you know about me"
    WEARING = "what are you wearing"
    WHAT_KIND = "are you a machine"
    WHERE_ARE_WE = "where are we"
    WHERE_ARE_YOU = "where are you"
    WHO_IS_HERE = "who is here"
    WHOM_MET = "whom have you met"
    GOAL = "what do you want"
    CARRYING = "what do you carry"
    JOKE = "tell me a joke"
    TIME = "what time is it"
    ADVICE = "what should I do"
    SOURCE = "who told you"
    OPINION = "what do you think of it"
    NEWS = "what is new"
    SAID = "what did somebody say"
    DID_I_SAY = "did I tell you"
    SEEN = "where is somebody"
    ABOUT = "what do you know about it"
    WHERE = "where"
    WHO = "who"
    WHEN = "when"
    COUNT = "how many"
    COLOUR = "what colour"
    WHY = "why"
    NAME = "what is its name"
    WAY = "how does one get there"
    BEEN = "have you been there"
    PROMISED = "what did somebody promise"
    KINDNESS = "who was kind to you"
    DONE = "what did somebody do to you"
    SECRET = "what did somebody tell you in confidence"
    TOLD_WHEN = "when did somebody tell it"
    MET = "when did we meet"
    SPOKE = "what did somebody say first or last"
    OTHER = "what"


def _compiled(*rows: tuple[Asks, str]) -> tuple[tuple[Asks, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.I)) for kind, pattern in rows)


FIXED = _compiled(
    (Asks.HOW_ARE_YOU, r"\bhow (?:are|do|have) you\b(?: (?:been|do|feel|doing|feeling|today|now|keeping))*\W*$"),
    (Asks.HOW_ARE_YOU, r"\bhow(?:'s| is) (?:it going|life)\b|\bhow was your night\b"),
    (
        Asks.HOW_ARE_YOU,
        r"\bare you (?:\w+ )?(?:well|all right|alright|ok|okay|happy|sad|lonely|tired|angry|bored|content|cold|"
        r"hungry)\b(?! (?:with|at|about|of)\b)",
    ),
    (Asks.WHO_ARE_YOU, r"\bwho are you\b|\bwhat(?:'s| is) your name\b"),
    (
        Asks.YOURSELF,
        r"\b(?:tell|say) (?:(?:me|us) )?(?:\w+ ){0,3}(?:about|of) yourself\b|"
        r"\bdescribe yourself\b|\bwhat are you like\b|"
        r"\bwhat (?:kind|sort) of (?:person|man|woman|mind) are you\b",
    ),
    (
        Asks.DOING,
        r"\bwhat (?:have|'ve) you (?:been (?:doing|up to)|done)\b|\bwhat did you do\b(?! (?:to|for|with|about)\b)|"
        r"\bwhat do you (?:usually )?do (?:here )?(?:all|every|the whole|with your) (?:day|time|days)\b|"
        r"\bhow (?:was|is|has) your (?:day|morning|evening)\b|\bhow do you spend your (?:day|days|time)\b|"
        r"\bwhat are you (?:doing|up to)\b|\bwhere (?:have|'ve) you been\b|\bwhere did you go\b|"
        r"\bwhere were you\b|\bwhat are you working (?:on|at)\b",
    ),
    (
        Asks.TRADE,
        r"\bwhat do you do(?: (?:here|for a living|for work))*\W*$|\bwhat do you work\b|"
        r"\bwhat(?:'s| is) your (?:\w+ )?(?:trade|job|work|profession|craft|occupation|calling|business)\b|"
        r"\bwhat (?:kind|sort) of work\b.*\byou\b|\bhow do you (?:earn|make) (?:a|your) living\b|"
        r"\bdo you (?:work|have a (?:job|trade))(?: here)?\W*$",
    ),
    (
        Asks.WEARING,
        r"\bwhat (?:are|do|have) you (?:got |usually |always )?(?:wear(?:ing)?|dressed in|on)(?: today| now)?\W*$|"
        r"\bhow are you dressed\b|\bwhat do you look like\b",
    ),
    (
        Asks.WHAT_KIND,
        r"\bare(?:n't)? you (?:really |actually |just |only |even |not )*(?:(?:an?|some|the) )?(?:\w+ )?"
        r"(?:robot|bot|chat ?bot|machine|a\.?i\.?|computer|program(?:me)?|software|npc|human|human being|"
        r"(?:real|living|actual) (?:person|human|being)|real|alive|sentient|conscious)\W*$",
    ),
    (Asks.WHO_ARE_YOU, r"\bwhat (?:should|shall|do|may|can) (?:i|we|they|people) call you\b|\bwhat are you\W*$"),
    (Asks.KNOW_ME, r"\b(?:know|remember|recogni[sz]e|recall) me\W*(?:now|still|at all)?\W*$|\bwho (?:am i|i am)\b"),
    (Asks.KNOW_ME, r"\bhave we met\b"),
    (Asks.MY_NAME, r"\bwhat(?:'s| is| was) my name\b|\b(?:know|remember|recall|forgotten|forget) my name\b|"
     r"\b(?:what am i|who i am|what i am) called\b"),
    (Asks.ABOUT_ME, r"\bwhat (?:else )?(?:do|can) you (?:\w+ )?(?:know|remember|tell (?:me|us)) (?:about|of) me\W*$|"
     r"\b(?:do|can) you (?:know|remember|tell (?:me|us)) (?:any ?thing|something) (?:about|of) me\W*$|"
     r"\bwhat have i told you (?:about|of) (?:me|myself)\b"),
    (Asks.TRUST, r"\b(?:can|could|may) i (?:trust you|tell you a secret|confide)\b|"
     r"\b(?:can|could|will|do) you keep a secret\b"),
    (Asks.WHERE_ARE_YOU, r"\bwhere are you\b"),
    (
        Asks.WHERE_ARE_WE,
        r"\bwhere (?:are we|am i|we are|i am)\b|\bwhat(?:'s| is) this (?:place|room|location)\b|"
        r"\bwhat (?:place|room) is this\b|\btell (?:me|us) about this (?:place|room)\b|\bwhat is it like here\b|"
        r"\bwhat (?:do|can) you see\b",
    ),
    (
        Asks.WHOM_MET,
        r"\bwho (?:else |all )?(?:lives|live|dwells|stays|works)(?: around)? here\W*$|"
        r"\bwhom? (?:else |all )?(?:do|have|did) you (?:know|met|meet)(?: (?:here|around here|so far|yet))*\W*$|"
        r"\b(?:are there|is there|does) (?:any ?(?:one|body)|(?:any |some )?(?:other |more )?people|others) (?:else )?"
        r"(?:live |living )?(?:around here|here|in this place|about)\W*$",
    ),
    (
        Asks.WHO_IS_HERE,
        r"\bwho(?:'s| is| else is| are| all is)(?: all| else)? (?:here|around|with (?:us|you))\b|"
        r"\bhow many (?:people|others|of (?:us|you)) (?:are|is)(?: there)?(?: in)? here\b|"
        r"\bare (?:you|we) alone\b|\bis (?:any ?(?:body|one)|some(?:body|one)) (?:else )?here\b",
    ),
    (Asks.GOAL, r"\bwhat do you want(?: now| then| most| today| really)?\W*$|"
     r"\bwhat are you (?:looking|searching|waiting|hoping) for\b|"
     r"\bwhat (?:are you after|is it (?:that )?you want|would you like)\W*$|\byour (?:goal|plan)\b|"
     r"\bwhat do you (?:\w+ )?(?:wish|hope|long) for\b|"
     r"\bwhat(?:'s| is|'re| are) your (?:\w+ )?(?:wish|wishes|dreams?|hopes?|aim|ambition)\b"),
    (Asks.CARRYING, r"\bwhat (?:are|do|have) you (?:got |have )?(?:carry|carrying|holding|hold|with you|on you)\b"),
    (
        Asks.JOKE,
        r"\b(?:tell|know|have|heard|got)\b.*\b(?:jokes?|riddles?)\b|\bmake (?:me|us) laugh\b|\banother (?:joke|"
        r"riddle)\b|"
        r"\bsay something (?:funny|nice)\b",
    ),
    (Asks.TIME, r"\bwhat (?:time|hour|day|date) is it\b|\bwhat(?:'s| is) the (?:time|hour|date)\b|\bhow late is it\b"),
    (
        Asks.ADVICE,
        r"\bwhat (?:should|shall|could) (?:i|we) \w+\b|\bwhat can (?:i|we) do\b|\bany advice\b|\badvise me\b|"
        r"\bwhat would you do\b|\bwhat do you (?:advise|suggest|recommend)\b|\bwhere should (?:i|we) go\b|"
        r"\bcan you help (?:me|us)\W*$",
    ),
    (
        Asks.SOURCE,
        r"^\W*(?:oh )?really\W*$|\bwho (?:has )?(?:told|said|says)(?: you)?(?: (?:that|this|it|so))?\W*$|"
        r"\bhow (?:do|did|can|would) you (?:know|learn|hear|find out)(?: (?:that|this|it|of (?:it|that)))?\W*$|"
        r"\bare you (?:\w+ )?(?:sure|certain)\b|\bfrom whom\W*$|\bwhere did you (?:hear|get) (?:that|this|it)\b|"
        r"\bwho did you (?:hear|get|have) (?:that|this|it) from\b|\bis (?:that|this|it) (?:really )?true\W*$",
    ),
)  # fmt: skip
"""Questions that stand by themselves; the first that fits counts."""

OPINION = re.compile(
    r"\bwhat do you (?:\w+ )?(?:like|love|enjoy|think|feel|prefer|hate|dislike|fear|admire|miss|make|believe|hope|wish|"
    r"dream|say)\b(?: (?:most|best|least|more))?(?P<about1>.*)"
    r"|\b(?:do|don't|did|would|could|will) you (?:\w+ )?(?:like|love|enjoy|think|feel|prefer|hate|dislike|fear|"
    r"trust|admire|"
    r"miss|believe|hope|mind|care|agree|wish|dream|want|get)\b(?P<about2>.*)"
    r"|\bhow do you (?:like|find|feel about)\b(?P<about3>.*)"
    r"|\b(?:what|which|who)(?:'s| is| are)? (?:\w+ )?your (?:favou?rite|opinion|view|dearest|best)\b(?P<about4>.*)"
    r"|\bare you (?:\w+ )?(?:afraid|fond|proud|in love|scared|jealous|curious|(?:angry|cross|happy) (?:with|at))\b"
    r"(?P<about5>.*)"
    r"|\bisn't (?:it|this|that) (?:\w+ )?(?:lovely|beautiful|strange|odd|nice|wonderful|pretty|sad|funny|"
    r"fine)\b(?P<about6>.*)"
    r"|\bare you (?:\w+ )?friends? (?:with|of)\b(?P<about7>.*)|\bis (?P<about8>\w+) (?:an? |your )(?:\w+ )?friend\b"
    r"|\bis (?P<about10>\w+) (?:an? )?(?:\w+ )?(?:nice|kind|friendly|decent|honest|pleasant|good|bad) "
    r"(?:man|woman|person|neighbour|fellow|soul|girl|boy)\b"
    r"|\bis (?P<about11>(?-i:[A-Z])\w+) (?:\w+ )?(?:nice|kind|friendly|decent|honest|pleasant|rude|mean|clever|funny|"
    r"boring)\W*$"
    r"|\bwhat makes you (?:happy|glad|smile|sad|angry|laugh|cry)\b(?P<about9>.*)",
    re.I,
)
"""A question of liking, feeling or belief; what it is about stands in the group that matched."""

KNOWS = re.compile(
    r"\bwhat (?:(?:do|did|can|could) )?(?:you|we|i) (?:\w+ )?(?:know|remember|tell (?:me|us)|hear[d]?)\b(?: (?:\w+ ))?"
    r"\s*(?:about|of|on)\b(?P<about1>.*)"
    r"|\b(?:tell|remind) (?:me|us) (?:\w+ ){0,2}?(?:about|of)\b(?P<about2>.*)"
    r"|\b(?:do|did|have|can) you (?:\w+ )?(?:know|remember|heard?|recall) (?:\w+ )?(?:about|of)\b(?P<about3>.*)"
    r"|\bwhat (?:else|more)\b.*\b(?:about|of)\b(?P<about4>.*)"
    r"|\bwhat (?:have you|did you|you(?:'ve| have)?) (?:heard|hear|learned|learn) (?:about|of)\b(?P<about5>.*)"
    r"|^\W*(?:so |and |but )?(?:who|what)(?:'s| is| are| was| were) (?P<about6>(?!(?:the|my|your|our|his|her) (?:\w+ )?"
    r"(?:name|colour|color|password|price|matter|reason|time|number)\b|[\w-]+['’]s "
    r"(?:\w+ )?(?:name|colour|color|password|secret|price|reason|number|age|address)\b)"
    r"(?:(?:the|a|an|my|your|this|that|these|those) )?"
    r"[\w'’-]+(?: [\w'’-]+)?)\W*$"
    r"|\bwhat about\b(?P<about7>.*)|\bdo you know (?P<about8>(?!where|who|what|when|why|how|which|if|"
    r"whether)[\w' ]+)\W*$",
    re.I,
)
"""A question for everything that is known of something."""

NEWS = re.compile(
    r"\bnews\b|\bwhat(?:'s| is) (?:new|up|happening|going on)\b|\bwhat are you (?:doing|up to)\b|\bwhat happened\b|"
    r"\b(?:what|where) have you (?:seen|heard|been|done|found|noticed|looked)\b|\bwhat did you (?:see|do|hear|find)\b|"
    r"\bwhere did you go\b|\b(?:tell|show) (?:me|us) (?:something|a story|anything)\b|"
    r"\banything (?:new|happen\w*|interesting)\b|\b(?:do|have) you (?:know |have |got )?(?:a story|any stories|"
    r"any gossip)\b",
    re.I,
)

SAID = re.compile(
    r"\bwhat (?:(?:did|does|has|was|were|have|had) )?(?P<who>[\w'’ -]+?) (?:just |ever |also )?"
    r"(?:say|said|saying|tell|told|telling|mention|mentioned|whisper|whispered|talk|talked|talking)\b(?P<about>.*)",
    re.I,
)

DID_I_SAY = re.compile(
    r"\b(?:(?i:did|have|had|didn't|haven't) (?P<who>[Ii]|(?i:we)|[A-Z]\w+)|(?P<who2>[Ii]|(?i:we)|"
    r"[A-Z]\w+) (?i:have|has|had|did))"
    r" (?:\w+ )?(?:tell|told|mention|mentioned|say|said|speak|spoken|talk|talked)\b(?: (?:to )?you)?(?P<about>.*)"
)

SEEN = re.compile(
    r"\b(?:where(?:'s| is| was| did| has| might| could)|have you seen|did you see|seen|"
    r"where [\w'’ ]+? (?:is|was|went|has gone|might be|could be)|when did you last see)\b",
    re.I,
)

SEEN_WORDS = frozenset(["see", "seen", "go", "gone", "went", "last", "today", "lately", "now", "find"])
"""Words of a question for where somebody is, besides their name."""

WAY = re.compile(
    r"\bhow (?:do|can|could|would|does) (?:i|we|you|one) (?:get|go|come|find (?:my|the) way|reach|walk)\b"
    r"(?: back\b)?(?P<to1>.*)"
    r"|\bwhere (?:does|do|will) (?P<to4>(?:the |this )?\w+)(?: \w+)? (?:lead|go|take)\w*\b"
    r"|\bwhat(?:'s| is| lies) (?P<to5>(?:(?:to the|in the|up|down|further|just) )?(?:north|south|east|west|"
    r"upstairs|downstairs))\b"
    r"|\b(?:which|what) (?:is the )?way (?:is|to|leads)\b(?P<to2>.*)|\bthe way to\b(?P<to3>.*)",
    re.I,
)
BEEN = re.compile(
    r"\bhave you (?:ever |already )?"
    r"(?:visited|(?:been|gone) (?:to|in|into|at|inside|down|up|near|through))\b(?P<to>.*)",
    re.I,
)

NAMED = re.compile(r"\bwhat(?:'s| is| was| are)?\b.*\b(?:names?|called|named)\b", re.I)

WORD = re.compile(
    r"\b(where|whereabouts|who|whom|whose|when|why|what for|how come|since when|until when|"
    r"(?:what|which) colou?rs?|(?:what|which) (?:day|month|year|season|hour|time)|how (?:many|much|old|far|long|"
    r"large|big|tall))\b",
    re.I,
)
"""The question word, wherever it stands."""


PROMISED = re.compile(
    r"\bwhat(?: \w+)? (?:did|have|has|had|do|does) (?P<who1>[\w'’ ]+?) (?:ever |also |not )?promised?\b(?P<about1>.*)"
    r"|\b(?:did|have|has|had) (?P<who2>[\w'’ ]+?) (?:ever |not )?promised?\b(?P<about2>.*)"
    r"|\b(?:did|have|has|had|do|does) (?P<who3>[\w'’]+) (?:ever |really )?(?:kept?|break|broken?|broke) "
    r"(?:my|his|her|their|your|the|a) (?:promise|word)s?\b(?P<about3>.*)"
    r"|\bwhat (?:was|is|were|are) (?P<who4>my|your|[A-Z]\w+['’]s) promises?\b(?P<about4>.*)"
    r"|\bwhat (?:(?:was|is) it (?:that )?)?(?P<who5>i|you|[A-Z]\w+) (?:have |has |had )?promised\b(?P<about5>.*)"
    r"|\b(?:remember|recall|forgotten?) (?P<who6>my|your|[A-Z]\w+['’]s) (?:promise|word)s?\b(?P<about6>.*)",
    re.I,
)
"""A question for a promise: whose, and what it was about."""

_HOW = r"kind|nice|good|friendly|helpful|rude|mean|unkind|nasty|bad|unfriendly"
_INSULTS = r"insult\w*|offend\w*|mock\w*|abus\w+|(?:swear|swore|sworn|shout\w*|yell\w*) at"
KINDNESS = re.compile(
    rf"\b(?:who|has anybody|has anyone|was anybody|was anyone)\b.*\b(?P<how1>{_HOW}) to (?P<whom1>[\w'’]+)"
    rf"|\b(?:was|is|were|are|has|have|am) (?P<who2>[\w'’]+) (?:ever |been |always |really |very |so )*"
    rf"(?P<how2>{_HOW}) to (?P<whom2>[\w'’]+)"
    r"|\bwho (?:is|are) your (?:best )?(?P<how3>friend|enem)(?:s|y|ies)?\b"
    rf"|\b(?:who|anybody|anyone|somebody|someone)(?: \w+)? (?P<how4>{_INSULTS}) (?P<whom4>[\w'’]+)"
    rf"|\b(?:did|has|have) (?P<who5>[\w'’]+) (?:ever )?(?P<how5>{_INSULTS}) (?P<whom5>[\w'’]+)",
    re.I,
)
"""A question for who treated whom how; where nobody is named it is who is asked."""

DONE = re.compile(
    r"\bwhat (?:did|has|have) (?P<who1>[\w'’]+) (?:ever |just )?(?:do|done) (?:to|for) (?P<whom1>you|me|us|[A-Z]\w+)\b"
    r"|\bhow (?:did|does|has|have) (?P<who2>[\w'’]+) (?:treat\w*|behaved? (?:to|towards)) "
    r"(?P<whom2>you|me|us|[A-Z]\w+)\b"
    r"|\bwhat (?:did|has|is|was) (?P<who3>[\w'’]+) (?:just )?(?:do|done|doing|been doing|up to)\b"
    r"(?! (?:to|for|with)\b)",
    re.I,
)
"""A question for whatever somebody did, to somebody or at all."""

_BY_HEART = r"\b(?:remember|recall|know|tell me)"
_WHO = r"i|we|you|(?-i:[A-Z][\w'’-]+)"
_TOLD = r"(?:told|tell|said?|say|mention(?:ed)?|sp[eo]ak|spoke|talk(?:ed)?)"
TOLD_WHEN = re.compile(
    rf"\b(?:when|where|how long ago) (?:did|have|had|has) (?P<who1>{_WHO}) (?:\w+ )?{_TOLD}(?: to)?(?: you| me| us)?"
    r"(?: (?:about|of) (?P<about1>.+)|(?: (?:about )?(?:that|this|it|so))?\W*$)"
    rf"|\bwhere (?:were|was) (?:we|you|i) (?:\w+ )?when (?P<who2>{_WHO}) (?:\w+ )?{_TOLD}\b"
    r"(?: to)?(?: you| me| us)?(?P<about2>.*)"
    rf"|\b(?:when|where|how long ago) (?:did|have|had|has) (?P<who4>{_WHO}) (?:\w+ )?mention(?:ed)? (?P<about4>.+)"
    rf"|{_BY_HEART} (?:when|where) (?P<who5>{_WHO}) (?:\w+ )?{_TOLD}(?: to)?(?: you| me| us)?"
    r" (?:about|of) (?P<about5>.+)"
    rf"|\b(?:when|where|how long ago) was it (?:that |when )?(?P<who3>{_WHO}) (?:\w+ )?{_TOLD}(?: to)?(?: you| me| us)?"
    r"(?: (?:about|of) (?P<about3>.+)|(?: (?:about )?(?:that|this|it|so))?\W*$)",
    re.I,
)
"""A question for the telling itself. "Where did I say the key is" asks for the key, and is none."""

_MET_END = r"(?: (?:you|me|each other|first|last|before|for the (?:first|last) time))*\W*$"
MET = re.compile(
    rf"\b(?:when|where|how long ago) (?:did|have|had|was it(?: that)?) (?:we|you and i|you|i) (?:first |last |ever )?"
    rf"(?:meet|met){_MET_END}"
    r"|\b(?:when|where|how long ago) (?:did|have) you (?:first |last )?(?:see|seen) me"
    r"(?: (?:first|last|before|for the (?:first|last) time))*\W*$"
    r"|\bwhen did (?:we|you and i|i) last (?:speak|talk|see)\b(?: (?:to |with )?(?:you|each other))?\W*$"
    r"|\bwhen was (?:the (?:first|last) time (?:that )?(?:we|you|i) (?:met|saw|spoke|talked)\b"
    r"(?: (?:to |with )?(?:me|you|each other))?|i last here|i here (?:last|first))\W*$"
    rf"|{_BY_HEART} (?:when|where) (?:we|you and i|i) (?:first |last )?met(?: you)?(?: (?:first|last))?\W*$"
    r"|\bhow long have (?:we|you) known (?:each other|me)\W*$",
    re.I,
)
"""A question for when or where one met who asks."""

SPOKE = re.compile(
    rf"\bwhat(?:'s| was| is| were) the (?P<order1>first|last|latest) (?:thing|words?)s? (?:that )?(?P<who1>{_WHO}) "
    rf"(?:ever |have |had )?{_TOLD}\b(?: (?:to )?(?:you|me|us))?\W*$"
    rf"|\bwhat did (?P<who2>{_WHO}) (?P<order2>first|last|just) (?:{_TOLD}|ask(?:ed)?)\b"
    r"(?: (?:to )?(?:you|me|us))?\W*$"
    rf"|\bwhat did (?P<who3>{_WHO}) (?:\w+ )?{_TOLD}\b(?: (?:to )?(?:you|me|us))? "
    r"(?P<order3>first|last|just now|a moment ago)\W*$"
    rf"|{_BY_HEART} what (?P<who5>{_WHO}) (?:said|told you|told me) (?P<order5>first|last|just now)\W*$"
    rf"|{_BY_HEART} what (?P<who6>{_WHO}) (?P<order6>first|last|just) (?:said|told you|told me)\W*$"
    r"|\bwhat (?:did|were) (?P<who7>we) (?:(?P<order7>last) )?(?:talk|speak)(?:ing)? (?:about|of)"
    r"(?: last(?: time)?)?\W*$"
    r"|\bwhat were (?P<who4>my|your|(?-i:[A-Z]\w+)['’]s) (?P<order4>first|last) words\b(?: to (?:you|me|us))?\W*$",
    re.I,
)
"""A question for the first or the last thing somebody said."""

KIND = frozenset(("kind", "nice", "good", "friendly", "helpful", "friend"))


def asked_by(word: str) -> Asks:
    """Say what a question word asks for."""
    folded = word.casefold()
    if folded.startswith("how ") and folded != "how come":
        return Asks.COUNT
    if folded.endswith(("colour", "color", "colours", "colors")):
        return Asks.COLOUR
    if folded.startswith("where"):
        return Asks.WHERE
    if folded in ("why", "what for", "how come"):
        return Asks.WHY
    return Asks.WHO if folded in ("who", "whom", "whose") else Asks.WHEN
