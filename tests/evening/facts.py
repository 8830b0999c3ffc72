"""What visitors tell in an evening, how they ask for it later in other words, and what they talk of in between.

`FACTS` and `MORE_FACTS` were at hand while the rules of the instinct were written; `UNSEEN` were written afterwards and
no rule was changed for them: a rule that only knows its own examples shows in the difference.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """Something told once and asked for later.

    Args:
        told: the line that tells it.
        asked: the question, in other words.
        answer: words of which one stands in a right answer.
    """

    told: str
    asked: str
    answer: tuple[str, ...]


def _facts(table: str) -> tuple[Fact, ...]:
    rows = [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]
    return tuple(Fact(told, asked, tuple(answer.split(", "))) for told, asked, answer in rows)


FACTS = _facts(
    """
    My sister Clara lost a silver thimble in the orchard last May. | Who is missing a thimble? | Clara
    The spare key hangs behind the bread oven. | Where can I find the second key? | bread oven
    My brother works as a baker in Leiden. | What does my brother do for a living? | baker
    The ferry to Harrow leaves at six in the morning. | When does the boat to Harrow go? | six
    I hid the letters under the third stair. | Where did I put those letters? | third stair
    My grandmother was born in Trieste. | Which town does my grandmother come from? | Trieste
    Our dog is called Pepper. | What is the name of our dog? | Pepper
    There are eleven steps down to the wine cellar. | How many stairs lead to the wine cellar? | eleven
    I painted my front door green. | What colour is my front door? | green
    Doctor Hale bought the old mill for nine hundred crowns. | Who owns the old mill now? | Hale
    The roof of the chapel was mended with copper. | What did they use to repair the chapel roof? | copper
    My uncle Bert is afraid of geese. | What scares my uncle Bert? | geese
    The market in Elmswick is held every Thursday. | On which day can one go to the market in Elmswick? | Thursday
    I left my violin with the cobbler because it was cracked. | Why did I take my violin to the cobbler? | cracked
    Old Sedge keeps the ledger in a hollow oak. | Where is the ledger kept? | hollow oak
    My wife plays the cello in a quartet. | Which instrument does my wife play? | cello
    The password for the gate is heliotrope. | What is the watchword at the gate? | heliotrope
    The bakery burned down in the winter of the comet. | When was the fire at the bakery? | comet
    Mr Finch owes me forty shillings. | How much money does Mr Finch owe me? | forty
    My daughter is allergic to walnuts. | What must my daughter not eat? | walnut
    The blue boat belongs to Widow Larch. | Whose boat is the blue one? | Larch
    I promised to bring Lena a jar of quince jam. | What did I promise Lena? | quince
    The bell in the tower has a crack from the great frost. | What is wrong with the tower bell? | crack
    My train to Aldeburgh goes on Friday at noon. | When do I travel to Aldeburgh? | Friday
    The red scarf was knitted by my aunt Odile. | Who made the red scarf? | Odile
    A tinker named Joss repaired our kettle. | Who fixed our kettle? | Joss
    The treasure map is sewn into the lining of my coat. | Where is the treasure map hidden? | lining, coat
    Peter and Marie are getting married in June. | When is the wedding of Peter and Marie? | June
    The well behind the school is dry. | Is there water in the well behind the school? | dry
    My father was a sailor and drowned off Cape Wrath. | How did my father die? | drown
    The mayor of Dunmore is called Ottoline Pyke. | Who is the mayor of Dunmore? | Ottoline, Pyke
    My favourite dish is mushroom soup. | What do I like to eat most? | mushroom
    The heron took three carp from the pond yesterday. | How many fish did the heron catch? | three
    I broke my wrist falling off a ladder. | How did I hurt my wrist? | ladder
    Captain Voss sails with a crew of fourteen. | How large is the crew of Captain Voss? | fourteen
    The library at Sarn closes at four. | When does the library at Sarn shut? | four
    My neighbour Ida grows black tulips. | What does Ida grow in her garden? | tulip
    Rufus sold his horse to buy a telescope. | Why did Rufus sell his horse? | telescope
    The lighthouse at Skerry is dark since its keeper retired. | Since when is the Skerry lighthouse dark? | retired
    My cousin Hugo studies comets in Prague. | What is Hugo studying? | comet
    """
)

MORE_FACTS = _facts(
    """
    The apothecary keeps the arsenic in a jar marked sugar. | Which jar holds the arsenic? | sugar
    My nephew Tobias has eleven toes. | How many toes does Tobias have? | eleven
    Our landlady is called Mrs Quill. | What is our landlady's name? | Quill
    The bridge at Thorn was washed away in April. | What happened to the bridge at Thorn? | washed
    I buried my mother's ring beneath the walnut tree. | Where is my mother's ring? | walnut
    The concert begins at half past eight. | At what time does the concert start? | eight
    A carpenter from Ostend built our staircase. | Who made our staircase? | carpenter, Ostend
    My friend Leopold collects stuffed owls. | What does Leopold collect? | owl
    The vicar fainted because of the heat. | Why did the vicar faint? | heat
    Agnes lent me her umbrella on Sunday. | Whose umbrella did I borrow? | Agnes
    The inn at Crooked Lane has seven rooms. | How many guests rooms are there in the inn at Crooked Lane? | seven
    The stolen painting shows a woman with a parrot. | What is on the stolen painting? | parrot
    My horse has gone lame on the left foreleg. | Which leg of my horse is lame? | left
    The miller hides his savings in the grain bin. | Where does the miller keep his money? | grain bin
    My grandson is learning to juggle. | What is my grandson learning? | juggle
    The tunnel under the castle comes out at the smithy. | Where does the castle tunnel end? | smithy
    Old Bridget died on the first day of snow. | When did Bridget pass away? | snow
    The new schoolteacher comes from Iceland. | From which country is the schoolteacher? | Iceland
    I am looking for a blue notebook with a broken clasp. | What am I searching for? | notebook
    The wolves were last seen near Gallows Hill. | Where have the wolves been spotted? | Gallows
    My coat cost me two silver pieces. | What did I pay for my coat? | two silver
    Wilhelm's dentist is an Englishman named Frobisher. | Who looks after Wilhelm's teeth? | Frobisher
    The postman only comes on Tuesdays. | Which day does the post arrive? | Tuesday
    Emilia wants to become a pilot. | What does Emilia dream of becoming? | pilot
    The cheese in the larder was eaten by rats. | Who ate the cheese? | rats
    The statue in the square is made of limestone. | What is the statue made from? | limestone
    Hannah moved to Lisbon with her two cats. | Where does Hannah live now? | Lisbon
    My uncle invented a machine that peels eggs. | What did my uncle invent? | eggs
    The road to Fennimore is closed until Easter. | Until when is the road to Fennimore shut? | Easter
    The duke plays chess with his gardener. | With whom does the duke play chess? | gardener
    I dreamt of a white elephant last night. | What did I dream about? | elephant
    The choir needs a second tenor. | What is the choir lacking? | tenor
    Barnaby threw the crown into the lake. | What did Barnaby do with the crown? | lake
    The oldest tree in the park is a yew. | Which tree is the oldest in the park? | yew
    My train was delayed by a cow on the tracks. | Why was my train late? | cow
    The tailor charges five pence a button. | How much does the tailor ask for a button? | five
    Lady Morven wears a glass eye. | What is special about Lady Morven's eye? | glass
    Sam and Rosa quarrelled about a fence. | What was the quarrel of Sam and Rosa about? | fence
    The cellar floods whenever the moon is full. | When does the cellar flood? | full
    My aunt is staying at the Hotel Bristol. | In which hotel is my aunt? | Bristol
    """
)

UNSEEN = _facts(
    """
    The blacksmith's wife grows melons on the roof. | Where do the melons grow? | roof
    My boss is a terrible miser named Grubb. | What is my boss called? | Grubb
    I need eleven candles for the feast. | How many candles do I require? | eleven
    The orphanage was founded by a retired pirate. | Who set up the orphanage? | pirate
    Our rooster crows at midnight. | At what hour does our rooster crow? | midnight
    My great-uncle lost an eye in a duel. | How did my great-uncle come to lose his eye? | duel
    The governor's carriage is bright yellow. | Which colour is the governor's coach? | yellow
    The secret door is behind the tapestry of the unicorn. | Where would I find the hidden door? | tapestry
    Bruno plays the accordion at funerals. | What does Bruno do at funerals? | accordion
    My apprentice ran away because I shouted at him. | Why did my apprentice run off? | shouted
    The census counted four hundred souls in Dell. | How many people live in Dell? | four hundred
    My stepmother hates thunder. | What can my stepmother not stand? | thunder
    The glazier promised to come on Wednesday. | When will the glazier come? | Wednesday
    The town hall clock runs ten minutes fast. | By how much is the town hall clock wrong? | ten
    I keep my savings in a teapot. | Where is my money? | teapot
    Yolanda was bitten by an adder near the quarry. | What happened to Yolanda at the quarry? | bitten
    The smugglers land at Raven Cove. | Where do the smugglers come ashore? | Raven
    My favourite season is autumn. | Which season do I like best? | autumn
    The judge adopted twins from Malta. | From where are the judge's twins? | Malta
    Constable Rook sleeps on duty. | What does the constable do on duty? | sleep
    A stranger left a black umbrella at the inn. | What did the stranger leave behind? | umbrella
    My niece can recite the whole almanac. | What can my niece recite? | almanac
    The bridge toll is three pennies. | What must one pay at the bridge? | three
    The weaver's cottage is haunted by a piper. | Who haunts the weaver's house? | piper
    """
)

CHATTER = (
    "It is a fine day.",
    "I walked a long way this morning.",
    "My shoes are full of sand.",
    "There were swallows over the wall.",
    "I should have brought a hat.",
    "The light is pretty at this hour.",
    "I had bread and cheese on the way.",
    "Somebody was singing by the canal.",
    "I like the smell here.",
    "My knees are not what they were.",
    "What a quiet place this is!",
    "How are you?",
    "What is new?",
    "I think I will sit down for a while.",
    "The clouds look like sheep today.",
    "I slept badly in the coach.",
    "Thank you for listening.",
    "A bee has followed me all the way.",
    "I could eat a whole pie now.",
    "The gravel is damp.",
    "I saw a man with three hats.",
    "Do you like the rain?",
    "My watch has stopped again.",
    "I never know what to say to cats.",
    "Who is here?",
)
