"""The word lists of the judge. The extractive summarizer has its own, so that neither repeats the other's mistakes."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PRONOUNS = """
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves this that these those here there who whom whose which what
    whoever whatever whichever somebody someone something anybody anyone anything everybody everyone everything nobody
    none nothing one ones other others another each either neither both all any some such same many much more most few
    fewer several less least enough half own people
"""
_JOINTS = """
    a an the and but or nor so yet for if unless until till since because although though while whereas whether when
    whenever where wherever why how as than then thus hence therefore however moreover nevertheless nonetheless
    likewise otherwise instead besides meanwhile afterwards afterward thereafter beforehand except
    in on at to of from by with without within into onto upon out off over under underneath above below beneath
    beside between beyond behind before after across along around about against among amid inside outside near toward
    towards through throughout during past up down aside apart back despite like per via
"""
_VERBS = """
    am is are was were be been being do does did done doing have has had having can cannot could would should shall
    must isn aren wasn weren don doesn didn haven hasn hadn won wouldn shouldn couldn ain let thank looking listening
    walking standing sitting talking thinking wandering wondering remembering speaking seeing
"""
_TIMES = """
    now today tonight tomorrow yesterday again ago already always almost alone also altogether anyway anyhow away early
    earlier late later lately ever never often seldom sometimes sometime occasionally once twice soon sooner still just
    first last lastly next finally eventually presently recently suddenly immediately usually gradually slowly quickly
    briefly quietly gently easily morning afternoon evening night day days time far farther further long everywhere
    somewhere anywhere nowhere elsewhere indeed certainly clearly probably possibly perhaps maybe really rather quite
    very too even only especially particularly similarly simply nearly overall strangely
"""
_CALLS = "yes no not oh ah o alas hey hello goodbye farewell please thanks ok okay well hm hmm"

PLAIN = _words(_PRONOUNS + _JOINTS + _VERBS + _TIMES + _CALLS)
"""Words that may begin a sentence and are no names. Words that are also names (will, may, rose) are excluded."""

ALSO_NAMES = _words(
    """
    april may june august autumn summer dawn eve monday tuesday wednesday thursday friday saturday sunday
    will bill rob bob jack frank mark art drew chase hunter miles reed cliff glen dale sue pat nick gene tom tim jim
    ray rich rod ross rusty sandy penny christian dean duke earl ernest guy harry holly joy hope faith grace charity
    patience mercy merry melody harmony honey victor ward wade warren lance mason max king queen prince lord lady
    baker butcher carter cooper cook fisher fletcher gardener gardner miller potter porter sawyer shepherd smith
    tanner taylor thatcher turner tyler walker weaver wheeler
    rose lily iris ivy daisy violet heather hazel olive poppy pansy tansy fern laurel myrtle basil ginger rosemary
    sage clay flint stone sterling pearl ruby amber jade opal coral crystal jewel jasper garnet
    birch ash aspen rowan linden willow alder elder forest wood woods marsh moss brook lake river bay ford park field
    hill vale stella nova star sky storm misty stormy sunny rain winter frost bella nell
    robin wren raven lark jay finch swift hawk fox wolf buck bear drake gale teddy piper major young grant hank lee
    marina dot chip skip rush mace peg vine van page carol angel christmas easter
    """
)
"""Ordinary words that are also names: in lower case in the source they do not justify a name in a summary."""

DULL = _words(
    """
    say says said saying see sees saw seen think thinks thought know knows knew known go goes went gone come comes came
    get gets got look looks looked tell tells told ask asks asked make makes made take takes took wonder wonders
    wondered good great big little new old thing things way bit lot kind will may might
    """
)

PLEDGES = _words(
    """
    promise promised promises promising swear swears swore sworn vow vows vowed oath pledge pledged word will shall i'll
    we'll i’ll we’ll
    """
)
"""Words of which a promise contains at least one; used to avoid a slow search."""

CUES = PLEDGES | _words(
    """
    must should need ought better never don't don’t dont not bring fetch give tell meet find keep wait follow help
    remember remind show leave stay stop open close ask beware always forget come go take look watch put
    """
)
