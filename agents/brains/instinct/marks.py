"""By which turns of phrase a statement is known: for a place, a time, a reason. Tables."""

from __future__ import annotations

import re

from agents.brains.instinct.asks import Asks

LEANS = re.compile(
    r"^(?!it(?:'s| is| was)? (?:\w+ )?(?:rain|snow|hail|thunder|late|early|cold|hot|warm|dark|time|seems|takes|"
    r"took))(?:(?:yes|no),? )?(?:it|he|she|they|that|this|there|its|his|her|their|also|and|but|(?:i|"
    r"we) \w+ (?:it|her|him|them))\b",
    re.I,
)
FOLLOWS = re.compile(r"^(he|she|it|they)(?:['’](?:s|re|ll|d|ve))?\s+\w", re.I)
"""A sentence whose subject is a pronoun at its very beginning; it may speak of what was spoken of before."""
EXPLETIVE = re.compile(
    r"^it(?:['’]s|['’]ll be| is| was| will be| has been| had been| gets?| got)? (?:\w+ ){0,3}(?:rain|snow|hail|thunder|"
    r"freez|pour|drizzl|storm|late\b|early\b|cold\b|hot\b|warm\b|dark\b|time\b|day\b|night\b|morning\b|evening\b|"
    r"afternoon\b|noon\b|midnight\b|spring\b|summer\b|autumn\b|winter\b|\w+day\b|o['’]clock\b|no use\b)"
    r"|^it (?:\w+ )?(?:seem|appear|take|took|depend|happen|turn(?:s|ed) out|look(?:s|ed) (?:like|as)|feel|felt|hurts)"
    r"|^it(?:['’]s|['’]ll be| is| was| will be)(?: not)? (?:I|me|you|he|she|we|they|us|true|possible)\b"
    r"|^it(?:['’]s|['’]ll be| is| was| will be)\b.{0,60}\b(?:that|who|whom|when|if|to|how|why)\b",
    re.I,
)
"""An "it" that stands for nothing: "it snows", "it seems", "it was I who"."""
MARKS = {
    Asks.WHERE: re.compile(
        r"\b(?:in|inside|on|at|under|underneath|beneath|below|behind|beside|near|next to|between|above|over|among|"
        r"against|within|along|around|beyond|outside|across|up|down|upstairs|downstairs|north|south|east|west|"
        r"from|to|by|"
        r"opposite|past)\b",
        re.I,
    ),
    Asks.WHEN: re.compile(
        r"\d|\b(?:at|on|before|after|until|during|when|since|dawn|dusk|noon|midnight|morning|evening|night|day|week|"
        r"month|year|hour|bell|tide|spring|summer|autumn|winter|\w+day|tomorrow|yesterday|today|tonight|ago|"
        r"soon|always|last|next|"
        r"january|february|march|april|may|june|july|august|september|october|november|december|easter|"
        r"christmas|once|first)\b",
        re.I,
    ),
    Asks.WHY: re.compile(
        r"\b(?:because|since|so that|so as|in order|for fear|due to|owing|to (?!the\b|a\b|an\b|my\b|his\b|her\b|"
        r"their\b)"
        r"\w+|that is why|thanks to|by (?:a|an|the)|as (?:it|he|she|they|the|we|i)|from|for|"
        r"when|after|until)\b",
        re.I,
    ),
    Asks.NAME: re.compile(r"(?i:\bcalled\b|\bnamed\b|\bnames?\b|\bknown as\b)|\b(?:is|was|[a-z]+) [A-Z]\w+"),
    Asks.COLOUR: re.compile(
        r"\b(?:red|green|blue|yellow|black|white|gr[ae]y|brown|pink|purple|violet|orange|golden|gold|silver|"
        r"scarlet|crimson|"
        r"ivory|cream|beige|turquoise|lilac|indigo|tawny|pale|dark|bright|striped|spotted|colour\w*|\w+ish)\b",
        re.I,
    ),
    Asks.COUNT: re.compile(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
        r"seventeen|eighteen|nineteen|\w+ty|hundred|thousand|dozen|half|couple|single|first|second|third|no|none|"
        r"inch\w*|feet|foot|miles?|years?)\b",
        re.I,
    ),
}
MALUS = {"saw": 0.05, "result": 0.1}
HEARD = ("heard", "told", "said")
BEING = re.compile(
    r"\W+(?:\w+ )?(?:is|was|lives?|lived|went|moved|stays?|stayed|works?|sits?|sleeps?|hides?|has gone|left|"
    r"sails?|dwells?)\b",
    re.I,
)
UNSURE = re.compile(r"\b(?:could|would|might|perhaps|maybe|probably|i think|i guess|i suppose|i believe)\b", re.I)
TO_YOU = re.compile(r"\b(?:you|your|yours|yourself|i like|i love|let me|may i)\b", re.I)
ONESELF = re.compile(r"\b(?:i|i'm|i've|my|our|we)\b", re.I)
IMPLIED = (
    (re.compile(r"\b(?:am|is|was|are|as) (?:an? |the )?(?:\w+ )?\w*(?:er|or|ist|ian|smith|wright|herd|cook|"
                r"nurse|clerk|monk)\b"
                r"|\bam an? retired \w+|\b(?:am|is|was) an? (?:vet|chef|maid|guard|pilot|judge|priest|poet|scribe|"
                r"mason|midwife)\b"
                r"|'m an? \w+", re.I), "work"),
    (re.compile(r"\b(?:am|is|are|comes?|came|'m) (?:\w+ ){0,3}from\b|\bborn in\b", re.I), "come home"),
    (re.compile(r"\blook(?:ing|s|ed)? (?:everywhere )?for\b", re.I), "search"),
    (re.compile(r"\b(?:is|are|am) \w+ years? old\b", re.I), "age old"),
    (re.compile(r"\b(?:is|are|was|were|has|have) (?:\w+ )?gone\b", re.I), "missing lacking"),
    (re.compile(r"\bstud(?:y|ies|ying)\b|\blearn\w*\b", re.I), "learn"),
)  # fmt: skip
"""Turns that say more than their words: "I am a baker" tells what somebody works as."""
DATED = re.compile(r"\d{4}-\d\d-\d\dT")
MINE = re.compile(r"\b(?:my|our|mine)\b", re.I)
LEANING_ON = 120.0
"""Seconds within which a line may lean on the one its speaker said before."""
