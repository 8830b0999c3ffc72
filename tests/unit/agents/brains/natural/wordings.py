"""Everyday wordings of what people say to a villager, each with a plain sentence that means the same.

Written without looking at the patterns and examples of the vault. A row is the plain sentences, any of which will do,
and the wordings, parted by bars.
"""

from __future__ import annotations

TABLE = """
What do you see? | what can I see here | what's in here then | anything lying about in this place? | so what have we got here | what objects are in the room
Which exits are there? | where does one go from here? | what are the ways out | how many exits does this place have? | any doors in this room?
How do I get to the library? | hey, do you happen to know the way to the bee yard? | whereabouts is the library and how do I reach it | I'm trying to find the library | which path takes you to the mill | could you point me toward the old mill
Where is Moss? | any idea where Moss is? | have you seen Corvin anywhere? | I'm looking for Eliza | do you know where she's got to? | where has Moss gone off to | Where'd Tamsin go?
Who is here? | who else is around? | is it just the two of us here? | anyone else in the room? | who's with us
Where are we? | what's this place called? | what place is this | where am I exactly
What are you carrying? | what've you got on you | is there anything in your pockets? | show me what you're carrying | what's that you've got in your hands
What are you wearing? | what clothes have you got on | what is it you're wearing today?
What is Moss wearing? / What does Moss look like? | what's Tamsin got on | does Corvin have a hat on? | what does he look like
Is Moss asleep? | is he asleep? | has Moss nodded off? | is Tamsin still up? | are they awake yet? | is Eliza sleeping or awake
Is the gate open? | is it open? | has somebody shut the door? | is the lamp burning | can you tell me if the gate's locked | is the oil lamp still lit?
What does the sundial look like? / What is the sundial made of? / What does the sign say? | can you describe the sundial to me? | what's the sundial made out of | what is written on it? | what does it say on the stone
How is the weather? | what's it like out there today? | nice weather we're having, isn't it? / lovely weather today | is it going to rain? | do you think it'll snow tonight | is it cold outside
What time is it? | do you happen to have the time? | what time do you make it? | is it getting late? | what's today's date
How are you? | how are things with you | you doing ok? | how've you been keeping, my friend? | are you alright? | hope you're well? | how do you feel today
Who are you? | and you are? | may I ask your name? | what do they call you | what should I call you? | whats your name agian | sorry, I didn't catch your name / what is your name?
What is my name? | do you still know what I'm called? | can you remember my name | what's my name again?
My name is Jonas. | I'm Jonas by the way | the name is Jonas | you can call me Jonas | people around here call me Jonas | I go by Jonas
What do you know about me? | what have I told you about myself so far? | tell me what you know about me | so what do you remember about me
Who is Moss? | Who is Ruth | who's this Ruth everybody talks about? | do you know Corvin at all? | who would Tamsin be? | tell me about Eliza / what do you know about Eliza
What do you do for a living? | what line of work are you in? | what do you do all day / what did you do today? | what's your trade then
Tell me about yourself. | what's your story, then? | tell us a bit about yourself | what sort of person would you say you are
Where do you live? | where's your house? | is this your home? | where'd you grow up? | do you live round here
Do you have a family? / are you married? | have you got any kids? | do you have a husband? | any brothers or sisters? | is there a special someone in your life?
What do you want most in life? | what are you after in life? | what's your dearest wish? | is there anything you long for?
What did you do today? | how did you spend your day? | what have you been up to today? | been busy today? | did you have a good day / how was your day?
Do you like honey? / what do you think of the mill? | are you fond of honey? | what's your opinion on the new bridge? | do you think the tower is pretty? | what's your favorite color?
What do you think of Moss? | what do you make of Corvin? | do you get on with Tamsin? | is Corvin a nice fellow? | would you trust Moss?
Do you like me? | what do you think of me? | are we friends? | are you cross with me?
What did Moss say about the bees? / did Moss say anything about the bees? | what's Moss been saying about the bees | can you tell me what Corvin said about the gate? | did Eliza mention the bees at all? | what did he tell you
What did I tell you about my sister? / what do you know about my sister? | what do you remember about my sister? | remember my sister? | what did I say about my dog? | do you recall what I told you about the boat | tell me what I said about my job
Did I tell you about my sister? | have I mentioned my brother to you? | did I ever tell you about the boat | I've told you about my dog, haven't I?
What is my dog called? | what's the name of my dog? | do you know what my sister's called? | my cat's name, do you remember it?
How many bees does Moss keep? | how many sisters have I got? | do you know how many cows Hanna has? | what's the number of my house | how old's my daughter
When does the ferry leave? | what time's the ferry? | when will the shop open? | do you remember when my birthday is? | what day is the market held
Where is my key? / where did I put my key? | do you remember where I hid the key? | where did I say I left my spectacles | so, where's the money hidden? | where does my sister live
Why did Moss leave? | how come Moss left? | what made her move away? | do you know why the bridge is closed | for what reason did he go
What colour was it? | what color was her hair? | what colour is my boat | do you remember the color of my coat
Who told you that? | says who? | where did you get that from? | who'd you hear it from | how would you know | how do you know about that?
Who built the bridge? / who keeps bees? | who owns the ferry? | who did I say built the tower? | do you know who lives in the mill | who bakes bread around here?
Does Moss keep bees? / is there a mill? | does my sister have a dog? | do I have a cat? | did the ferry come? | was the bridge built by monks?
Any news? | heard anything new? | what's been going on round here? | got any gossip for me? | what's happening in the village these days | did I miss anything?
Tell me a joke. | know any good jokes? | make me laugh, will you?
What should I do? | what would you recommend I do here? | got any advice? | I don't know what to do with myself, any suggestions?
Hello! | hiya | good mornin | well hello there, stranger | evening all | hey Loci
Goodbye! | right, I must dash | see you around then | I'd better be going | cheerio, take care | bye for now
Good night. | night night, sleep well | I'm going to bed now
Thank you. | thanks a bunch | thanks ever so much for that | that's very kind of you | cheers mate
I am sorry. | sorry about before | I apologise, that was rude of me | please forgive me
My father died last winter. | my granny passed away on Tuesday | our dog died this morning | I lost my wife two years ago | my best friend has just died | we're burying my uncle tomorrow
My mother is in hospital. | my little boy's been taken to hospital | I've got a terrible headache | my wife is very ill | I think I'm coming down with something | Dad had a heart attack last night | I broke my leg
Today is my birthday. | it's my birthday tomorrow | guess who's turning thirty today? | my daughter turns six today | happy birthday!
I am in love. / we are getting married | I'm getting married in the spring | my sister just had a baby | we're expecting our first child | I've fallen in love | I passed my exam!
I am so sad today. | I've been feeling a bit down | I'm so lonely these days | today was awful | I miss my brother so much | I am scared of the storm
I am so happy today. | I'm in such a good mood | I've had a brilliant day | couldn't be better, thanks | I feel fantastic
You are so kind. | you're a lovely person | you've got a great memory | what a clever thing you are | I really like talking to you
You are an idiot. | you're such a fool | shut your face, you moron | I can't stand you
You are wrong. | that isn't what I asked you | you've already said that | you're not making any sense | that's a lie | that's not true
I was wrong, it is on Friday. | sorry, I meant Tuesday | actually it's not blue but green | no, correction, it was my aunt | I made a mistake, her name is Ida
What do you mean? | I don't understand | could you repeat that please | come again? | what was that you said
Can you keep a secret? | can I trust you with something? | may I tell you something in private? | you won't tell anybody, right?
Don't tell anybody. | keep this between us please | not a word to anyone | that's just between you and me
Follow me. | come along with me | won't you come with me? | let's take a stroll together | would you walk with me to the library
Wait here. | hang on a minute | stay where you are | don't go anywhere
Give me the lamp. | could I have the lamp, please? | hand me that lamp | can I borrow your spade?
Tell Moss that the gate is open. | let Eliza know I'm late | if you see Moss, tell him dinner is ready | pass on my regards to Tamsin
This is for you. | I've brought you a present | here, have an apple | these flowers are for you
I promise to come back. | I'll bring you some honey tomorrow | you have my word, I'll be back
What did I promise you? | did I promise you something? | what was I going to bring you? | have I promised anything
When did we first meet? | how long have we known each other? | when was it that we met? | remember the day we met?
When did we last speak? | when was I here last? | how long is it since I was last here
Do you remember me? | don't you recognise me? | have you forgotten me? | we've met before, haven't we?
Are you a robot? | are you a real person? | am I talking to a machine here? | you're an AI, aren't you
What did Moss do? / what is Moss doing? | what's Corvin up to? | what's she doing now? | who took the lamp?
Have you ever been to the library? | ever been to the bee yard? | what's it like in the library? | did you ever visit the mill
Wo ist der Schlüssel? | Wie geht es dir heute? | Où est la bibliothèque? | ¿Cómo te llamas? | Ich verstehe dich nicht
My sister lives in Bergen. | so, my dog is called Biscuit | I can't find my spectacles | well, I'm off to the market on Saturday to buy eggs | you know, I used to be a sailor | did you know my brother has a boat? | I've lost my glasses | the well is dry again | my neighbor's roof is leaking
What is the ferry like? / what do you know about the mill? | what can you tell me about the mill? | know anything about the old mill? | have you heard about the fire? | what happened to the bridge? | I'd like to hear about the harbour | what are we out of / what is missing?
What else? / what did she do? | and what happened then? | anything else? | and after that? | go on / and then? | what did she do next
"""


def rows(table: str = TABLE) -> list[tuple[tuple[str, ...], str]]:
    """Return the wordings, each after the plain sentences."""
    found: list[tuple[tuple[str, ...], str]] = []
    for line in table.strip().splitlines():
        plain, *said = (part.strip() for part in line.split(" | "))
        for one in said:
            wording, _, more = one.partition(" / ")
            found.append(((*plain.split(" / "), *filter(None, [more])), wording))
    return found


BLIND = """
What do you see? | is there anything worth looking at here | whats all this stuff here | tell me what's in this room
Which exits are there? | which doors can I take? | how do we get out of here / how do I get to the library?
How do I get to the library? | what is the quickest route to the bee yard | can you walk me to the library? | where do I have to go for the library | excuse me, where's the library please? / where is the library?
Where is Moss? | have you any idea where Corvin might be? | did you see where Eliza went | have you bumped into Tamsin today? | I need Moss, where can I find him?
Who is here? | how many of us are there in here | is somebody hiding here?
Where are we? | remind me what this place is called | I don't recognise this place, where am I?
What are you carrying? | have you got something in your hand? | did you bring anything with you? | what do you have in your bag there
What are you wearing? | that's a nice coat, is it new? / is that a new coat you have on? | what do you have on today
What is Moss wearing? / What does Moss look like? | what kind of clothes is Eliza wearing? | is Corvin tall or short?
Is Moss asleep? | did Tamsin fall asleep already? | is Eliza still in bed | are you sure he's awake? / is Moss awake?
Is the gate open? | can I go through the gate or is it locked? | is somebody keeping the lamp lit? | did anybody leave the gate open?
What does the sundial look like? / What does the sign say? | can you read what's on the sign | how does the sundial look
How is the weather? | what's the forecast for tomorrow | is the sun out? | brr, it's chilly today, isn't it?
What time is it? | how late is it now | could you give me the time please | is it nearly noon?
How are you? | you good? | how ya doing | is everything okay with you today? | you look a little pale, are you feeling alright?
Who are you? | I don't think we've met, who are you? | and your name is? | tell me what you're called
What is my name? | do u remember my name | say my name | what was my name again?
My name is Jonas. | hello, I am Jonas | please call me Jonas | Jonas is the name | they named me Jonas
What do you know about me? | how much do you know about me? | what can you recall from what I told you / what have I told you?
Who is Moss? | have you met Ruth? | Corvin, who is that? | what do you know about Ruth?
What do you do for a living? | do you have work here | what is your work? | how do you earn money?
Tell me about yourself. | I want to know more about you | who is Loci really?
Where do you live? | where do you sleep? | were you born here? | which house do you live in
Do you have a family? / are you married? | do you have siblings? | are you a mother? | is your mum still alive
What do you want most in life? | what would you wish for if you could? | what are you dreaming of? | what's on your to-do list?
What did you do today? | tell me about your day | what were you doing before I came in?
Do you like honey? / what do you think of the mill? | is honey your favourite? | do you hate spiders | what music do you like
What do you think of Moss? | do you reckon Corvin is honest? | how well do you get along with Eliza | is Moss your friend?
Do you like me? | do you enjoy my visits? | you're not angry with me, are you? | am I a good friend to you
What did Moss say about the bees? / did Moss say anything about the bees? | Moss told you something about the bees, what was it? | what has Eliza got to say about the gate
What did I tell you about my sister? / what do you know about my sister? | what have I said about my sister | what do I have to say about my job? | can you repeat what I told you about my boat?
Did I tell you about my sister? | have I already told you about my dog | did I mention that I have a cat?
What is my dog called? | tell me the name of my dog | how is my dog called | and what's his name?
How many bees does Moss keep? | how many kids has my sister got? | how much does a loaf cost | what age is my brother?
When does the ferry leave? | at what hour does the shop close? | when's my mum's birthday | how soon will the boat be back
Where is my key? / where did I put my key? | where have I left my hat? | in which town does my aunt live | I told you where my keys are, where was it?
Why did Moss leave? | why's the shop closed | what is she crying for? | do you know the reason why he left?
What colour was it? | what colour did I say my door was? | is my boat red or blue?
Who told you that? | did you hear that from Moss? | how come you know that | is that really so?
Who built the bridge? / who keeps bees? | whose key is this? | which of the villagers keeps geese? | who's the owner of the inn?
Does Moss keep bees? / did the ferry come? / is my aunt married? | has my brother got a boat? | can my sister swim? | are my parents still alive? | is Ida a nurse?
Any news? | what's the word on the street | so, what's happening? | anything I should hear about? | tell me the news
Tell me a joke. | I want to hear a joke | do you have a joke for me
What should I do? | can you give me a hint | what would be a good thing to do now? | I'm bored
Hello! | hey there | good afternoon, Loci | hello hello | yo
Goodbye! | I have to leave now | see ya | so long, friend | till tomorrow then | alright, I'm out of here
Good night. | sleep tight | goodnight and sweet dreams
Thank you. | ta very much | I'm so grateful to you | that helps, thanks | thank you for everything
I am sorry. | sorry for being so late | I'd like to apologise | oops, my mistake
My father died last winter. | we lost our baby | my husband is dead | grandpa passed last night | my dog got run over | they buried my aunt yesterday
My mother is in hospital. | my daughter has a fever | I'm feeling sick | my husband had an accident | doctor says I have cancer | my tooth hurts so bad
Today is my birthday. | I turned 40 yesterday | tomorrow is my birthday | my son's birthday is today | it's our wedding anniversary
I am in love. / we are getting married | he proposed to me! | I think I'm in love with my neighbour | I'm pregnant | my daughter got married on Saturday | I got a new job!
I am so sad today. | I feel terrible | I'm not doing so well | I had a big fight with my sister and I'm upset | I'm afraid of the dark | my heart aches
I am so happy today. | I'm so excited! | things are going really well | this is the best day of my life | I'm pretty good, and you?
You are so kind. | you are the best | you're really helpful | I like your smile
You are an idiot. | you suck | you're so stupid | you dumb cow
You are wrong. | no, that's wrong | that's not what I said | you didn't answer my question | you got it all wrong
I was wrong, it is on Friday. | oh sorry, it's on Monday, not Friday | wait, that's not right, he's forty | I misspoke, it's three
What do you mean? | what? | huh? | I didn't quite get that | can you explain that?
Can you keep a secret? | are you able to keep a secret? | can I tell you something personal?
Don't tell anybody. | don't you dare tell anyone | let's keep it a secret | this stays between us
Follow me. | come on, let's go | would you come with me please? | can you follow me
Wait here. | just a moment | please stay here | don't move
Give me the lamp. | please give me the key | I need your lamp | may I take the book?
Tell Moss that the gate is open. | tell Eliza I said hi | could you let Moss know that supper's ready? | please ask Corvin to come here
This is for you. | I have something for you | I've baked you a pie | this book is for you
I promise to come back. | I swear I will help you | I'll come back tomorrow, promise
What did I promise you? | did I make you a promise? | what is it I promised?
When did we first meet? | how did we get to know each other? | when did I meet you first
When did we last speak? | when did you see me last | how long ago was I here?
Do you remember me? | do you know who you're talking to? / who am I? | do you recognize my face? | I've been here before, remember?
Are you a robot? | are you for real? | you're not human, are you | are you artificial?
What did Moss do? / what is Moss doing? | what's everybody doing? | who closed the gate? | has Tamsin done anything today?
Have you ever been to the library? | do you know the library? / what do you know about the library? | how do you like the library? / do you like honey? | were you at the library today?
Wo ist der Schlüssel? | Guten Morgen, wie geht's? | Je m'appelle Pierre | Mi hermana vive en Madrid | Dove abiti?
My sister lives in Bergen. | my sister's got a new boat | oh by the way, I'm a teacher | I grew up near the sea | we have three goats and a pig | yesterday I met a fox by the well | the key is under the mat | I haven't eaten since yesterday | Ruth moved to the city in spring | I always wanted to be a painter | my favorite food is soup | I hate mushrooms
What is the ferry like? / what do you know about the mill? | what's the deal with the old mill | tell me everything about the well | have you heard of the big storm | what's a sundial
What else? / what did she do? | what happened afterwards? | and then what happened? | tell me more
"""

FRESH = """
What do you see? | could you tell me what's lying around here | is there anything useful in this room | what's over there in the corner
Which exits are there? | is there a back door? | where would that door lead me | what rooms are next to this one
How do I get to the library? | so how would I get to the library from here? | I'd like to go to the bee yard, which way is it? | can you tell me where the library is? / where is the library?
Where is Moss? | has Moss been around today? | you haven't seen Eliza, have you? | what room is Tamsin in right now
Who is here? | who is that standing in the corner | are there more people here | apart from us, is anyone here?
Where are we? | could you remind me where we are? | what do folks call this place | is this the bee yard?
What are you carrying? | mind showing me what's in your bag? | have you got a knife on you? | what's that thing you're holding
What are you wearing? | what a lovely scarf, is it new? / is that a new coat you have on? | are you wearing a hat
What does Moss look like? | I've never seen Corvin, what does he look like? | what colour are Eliza's eyes? | does Tamsin wear glasses
Is Moss asleep? | do you know if Eliza is awake? | is he sleeping right now | has Tamsin gone to bed yet?
Is the gate open? | the gate, is it locked? | did someone lock up the library? | is the lamp off
What does the sundial look like? / What does the sign say? | what's written over the door | tell me what the sundial looks like
How is the weather? | any chance of rain today? | what's the weather gonna be like tomorrow | it's so hot today, isn't it?
What time is it? | time please? | have you got the time on you | what's the date today?
How are you? | how do you do this fine morning | feeling any better today? | are you in good health? | everything okay?
Who are you? | and who might you be? | what was your name, sorry? | what's ur name | do you go by a nickname?
What is my name? | bet you don't remember my name | how do you call me? | do you know what I'm called
My name is Jonas. | it's Jonas, by the way | everybody just calls me Jonas | hey, I'm Jonas and I'm new here
What do you know about me? | what do you remember of me | do you know a lot about me? | what did I tell you about me?
Who is Moss? | Eliza? who's that? | do you happen to know Corvin | is Tamsin someone I should know?
What do you do for a living? | what do you work as | what's your day job | are you employed here?
Tell me about yourself. | I know nothing about you, tell me something | describe yourself please
Where do you live? | where's your bedroom | do you have a house here? | have you always been living here?
Do you have a family? / are you married? | have you ever been married? | got a boyfriend? | do you have any relatives
What do you want most in life? | what makes life worth living for you? | what are your plans for the week | is there something you dream about?
What did you do today? | what have you been doing since breakfast | anything nice happen to you today? | how have you been spending your time?
Do you like honey? / what do you think of the mill? | do you like it here? | what's the best season in your view? | any hobbies? | are you a cat person?
What do you think of Moss? | how do you feel about Eliza | is Corvin good company? | what do you really think of Moss
Do you like me? | am I annoying you? | have I upset you? | do you think we could be friends?
What did Moss say about the bees? / did Moss say anything about the bees? | what were Moss's words about the bees | what did Eliza tell you yesterday | has Corvin said anything about me?
What did I tell you about my sister? / what do you know about my sister? | what did I say my sister does | tell me about my sister again | what was it I told you about my boat
Did I tell you about my sister? | I don't think I told you about my boat, did I? | did I ever say where I come from?
What is my dog called? | what did I call my cat? | my sister's name is what again? | what's the dog's name
How many bees does Moss keep? | how many eggs do the hens lay a day | how far away is the sea | how big is my garden
When does the ferry leave? | what time do they close | when did I say my birthday is | when exactly did she leave?
Where is my key? / where did I put my key? | where'd I put my glasses | where does Ida work | do you know where I left my coat? | where can you buy fish here
Why did Moss leave? | and why is that? | why did my aunt move to Oslo | why don't I eat meat?
What colour was it? | what colour are the shutters? | what's the colour of my bike | which colour was her coat
Who told you that? | who did you get that from? | and you heard that where? / where did you hear that? | are you sure about this?
Who built the bridge? / who keeps bees? | who's the best cook here | who gave me the ring? | who lives next door to me
Does Moss keep bees? / did the ferry come? / is my aunt married? | do any of my friends play chess? | is my brother younger than me | was there ever a mill here? | did I sell the boat?
Any news? | anything exciting going on? | what have people been up to lately | so what did I miss while I was gone
Tell me a joke. | can you tell a joke? | cheer me up with a joke
What should I do? | what's a good place to start? | what can a visitor do around here | I need your advice
Hello! | hey you | greetings, friend | hi again | top of the morning to you
Goodbye! | gotta go now, bye | thanks for the chat, see you tomorrow | I'm leaving, goodbye | I won't keep you any longer | take it easy, see you
Good night. | I'm so sleepy, good night | nighty night
Thank you. | thank you kindly, that was helpful | I appreciate that | oh thanks, you're a dear
I am sorry. | I'm terribly sorry about yesterday | sorry, I didn't mean that | I want to apologise for being rude
My father died last winter. | my baby sister died when I was five | my mum is dead | my horse died on Sunday | I'm burying my father on Friday | he died in my arms
My mother is in hospital. | my gran fell and broke her hip | I've been ill since Monday | I have a stomach ache | they had to operate on my brother
Today is my birthday. | it is my 30th birthday today | my wife's birthday is tomorrow | happy new year!
I am in love. / we are getting married | I just became a father! | we got married in May | my girlfriend said yes! | I'm going to be a grandmother
I am so sad today. | I've had enough of everything | I feel like crying | I'm really worried about my son | I'm so stressed
I am so happy today. | I couldn't be happier | I'm having a wonderful time here | life is treating me well
You are so kind. | you're such a good listener | you have a lovely voice | I'm lucky to know you
You are an idiot. | you're nothing but a liar | what a stupid answer, you fool | I hate you
You are wrong. | I never said that | you're mistaken | that can't be true | you keep telling me the same thing
I was wrong, it is on Friday. | actually, I meant my aunt, not my sister | let me correct that, it's in June | I was mistaken about the day
What do you mean? | what do you mean by that? | pardon me? | I'm not following you
Can you keep a secret? | could you keep something to yourself? | I want to tell you a secret
Don't tell anybody. | don't let anyone know | please keep it to yourself | nobody must find out
Follow me. | come with me to the garden please | let's go together | would you like to go for a walk with me
Wait here. | wait for me here | give me a second | don't leave me
Give me the lamp. | lend me your lamp for a moment | could you hand me that? | can you give me back my book
Tell Moss that the gate is open. | can you let Eliza know that I'm here? | give Corvin my best wishes | when you see Tamsin, say hello from me
This is for you. | please take this, it's yours | look what I brought you | here's a flower for you
I promise to come back. | I promise I won't be long | I'll give you the money tomorrow
What did I promise you? | what was my promise to you? | didn't I promise you something
When did we first meet? | when did you first see me? | when did we become friends
When did we last speak? | when did we talk last time | how long have I been gone
Do you remember me? | can't you remember me? | you do know me, right? | have you seen me around before
Are you a robot? | is there a real person talking to me? | are you programmed | you sound like a robot, are you one?
What did Moss do? / what is Moss doing? | what's Moss doing there | what has Eliza been doing all day? | who's been in my garden?
Have you ever been to the library? | what's the library like inside | did you like the bee yard when you went there? / do you like honey? | have you been in the library lately
Wo ist der Schlüssel? | Hola, ¿qué tal? | Je ne parle pas anglais | Kannst du mir helfen?
My sister lives in Bergen. | my name day is in June but nobody cares | I can't stand the smell of fish | um, my brother's wife is from Spain | I do pottery on Sundays | me and my brother run the ferry | Grandpa used to tell us stories | I've got three sisters and no brothers | she's left-handed | there's a fox living under our shed | I need to buy flour tomorrow | I'm not from around here
What is the ferry like? / what do you know about the mill? | what do you know of the flood? | ever heard of the ghost in the tower? | I wanna know about the old mill
What else? / what did she do? | and what else? | then what happened? | what did he do after that
"""
