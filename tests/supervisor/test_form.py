"""The form that a task asks of its answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.supervisor.form import asks_form, form_faults, items
from aeon.supervisor.questions import asks_leave, asks_yes_no, is_of_kind, is_thing, uncounted

pytestmark = pytest.mark.requirement("T4")

TWO, THREE = "Bees fly. They sting.", "One. Two. Three."


def faults(task: str, answer: str) -> str:
    """The faults in one text."""
    return "; ".join(form_faults(task, answer))


@pytest.mark.requirement("G3", "T2d")
@pytest.mark.parametrize(
    ("question", "said", "left"),
    [
        ("What does a guest pay for five hours?", "Guests pay 5 euros an hour.", ["five hours"]),
        ("What do two adults and 3 children pay?", "Children pay 3 euros.", ["two adults", "3 children"]),
        ("Who sings with the three tenors?", "The 3 Tenors sing with Ann.", []),
        ("What do thirty chairs cost?", "30 chairs: 90 euros", []),
        ("What did it cost in 2024, before 12 March?", "It cost 4 euros.", []),
        ("How long is one lesson?", "A lesson takes an hour.", []),
        ("What does room 3 cost?", "Rooms cost 4 euros.", []),
        ("There are four of us. What will that cost?", "Towels are 5 euros per person.", ["four of us"]),
        ("We are a family of five, what do we pay?", "Families pay 9 euros.", ["family of five"]),
        ("We're 12 and want the walk. How much is it?", "The walk costs 4 euros.", ["We're 12"]),
        ("We are four adults. What do we pay?", "Four adults pay 9 euros.", []),
        ("What do the two of them do?", "The two of them swim.", []),
        ("What do the two of us pay for a day?", "A day is 9 euros.", ["two of us"]),
        ("Who of the two of us paid more?", "Ann paid 9 euros.", []),
    ],
)
def test_what_a_text_does_not_have_so_many_of(question: str, said: str, left: list[str]) -> None:
    """A number goes with its thing: five euros are no five hours; days and years are no counts."""
    assert uncounted(question, said) == left


@pytest.mark.parametrize(
    ("task", "good", "bad", "said"),
    [
        ("Explain it in two sentences.", TWO, THREE, "it has 3 sentences, and must have exactly 2"),
        ("Describe bees using exactly 3 sentences.", THREE, TWO, "it has 2 sentences, and must have exactly 3"),
        ("WRITE TWO SHORT SENTENCES about bees", TWO, "Bees fly", "it has 1 sentences, and must have exactly 2"),
        ("What is a bee, in one sentence?", "An insect", TWO, "exactly 1"),
        ("Explain tax in a single sentence.", "It is due.", TWO, "exactly 1"),
        ("Explain tax in a sentence.", "It is due!", TWO, "exactly 1"),
        ("Write a two-sentence reminder.", TWO, "Bring it back.", "it has 1 sentences, and must have exactly 2"),
        ("Write a note of at most two sentences.", "Hi.", THREE, "it has 3 sentences, and must have at most 2"),
        ("No more than 2 sentences, please: why?", TWO, THREE, "at most 2"),
        ("Explain tax in under three sentences.", TWO, "A. B. C. D.", "at most 3"),
        ("Describe the sea in at most five words.", "Blue, wet, wide.", "It is a very wide sea", "it has 6 words, and"),
        ("Explain air in two sentences.", TWO, "The air scatters blue light. The air scatters blue light.", "twice"),
        ("What is a bee? Use 5 words at the most.", "A well-known bee", "It is a thing that flies", "at most 5"),
        ("What is a bee? 2 sentences or fewer.", TWO, THREE, "at most 2"),
        ("In 5 words or less: what is a bee?", "A well-known bee", "It is a thing that flies", "at most 5"),
        ("Use exactly four words.", "Bees can't fly far.", "Bees fly.", "it has 2 words, and must have exactly 4"),
        ("Use no more than a dozen words, at most 3 words.", "a b c", "a b c d", "at most 3"),
        ("List three ripe fruits, one per line.", "Apple\n\nPear\nFig", "Apple, pear, fig", "it has 1 lines, and must"),
        ("Give me a list of five fruits, one per line.", "a\nb\nc\nd\ne", "a\nb\nc", "it has 3 lines, and must"),
        ("Name exactly 2 rivers in France, each on its own line.", "Loire\nSeine", "Loire", "exactly 2"),
        ("Suggest four names, each in a new line.", "A\nB\nC\nD", "Here are four:\nA\nB\nC\nD", "it has 5 lines"),
        ("Give 3 bullet points on bees.", "- a\n- b\n* c", "- a\n- b", "it has 2 points, and must have exactly 3"),
        ("Answer in three points.", "1. a\n2) b\n3. c", "a, b, c", "it has 0 points, and must have exactly 3"),
        ("Describe a car as JSON.", '{"wheels": 4}', "A car has 4 wheels.", "must be JSON"),
        ("Return only valid JSON with the keys a and b.", "[1]", "Here you are: [1]", "must be JSON"),
        ("Reply with a JSON object.", '```json\n{"a": 1}\n```', '```json\n{"a": \n```', "must be JSON"),
        ("Give me the result in JSON format.", "null", "", "must be JSON"),
        ("Write a function. Only the code.", "```python\nf = 1\n```", "Here:\n```\nf = 1\n```", "must be code"),
        ("Write f in Python, code only.", "def f(): ...", "```\nf = 1\n```\nIt sets f.", "must be code"),
        ("Write f, no explanation.", "```\na\n```", "Sure!\n```\na\n```", "must be code"),
        ("Name a fruit in one word.", "Apple.", "An apple", "must be one word"),
        ("Answer with only one word: is it wet?", "Yes", "", "must be one word"),
        ("What is it, as a single word?", "wet", "very wet", "must be one word"),
    ],
)
def test_what_can_be_counted_is(task: str, good: str, bad: str, said: str) -> None:
    """An answer that keeps to the form has no fault, and one that does not has one that says so."""
    assert form_faults(task, good) == []
    assert said in faults(task, bad) and len(form_faults(task, bad)) == 1
    assert asks_form(task)


@pytest.mark.parametrize(
    "task",
    [
        "",
        "Why is the sky blue?",
        "Explain photosynthesis in a few sentences.",
        "Explain it in a few short sentences.",
        "Explain it in a couple of sentences.",
        "Explain it in a number of sentences.",
        "Explain it in one or two sentences.",
        "Explain it in 2-3 sentences.",
        "Explain it in about five sentences.",
        "Give a few bullet points about bees.",
        "Give me a bullet point list of risks.",
        "Write a bulleted list.",
        "What does a 12 points font look like?",
        "A team has 30 points after 12 games; is that much?",
        "Explain the two main points of the letter.",
        "Write about 100 words on the sea.",
        "Write a text in fifty words.",
        "What is the longest of these three words?",
        "Write a function in Python that parses JSON.",
        "Explain the difference in size between XML and JSON.",
        "What is JSON?",
        "Write code that sorts a list and explain it.",
        "What does the word only mean?",
        "Explain this code.",
        "List the planets.",
        "Write each line of the poem with care.",
        "Suggest a name.",
    ],
)
def test_a_task_without_such_a_form_is_never_faulted(task: str) -> None:
    """Neither vague words for how much, nor words of other meaning, ask for a form."""
    for answer in ("", "Wet.", THREE, "- a\n- b\n- c", "Here:\n```\nx\n```", '{"a": 1}', "word " * 120):
        assert form_faults(task, answer) == []
    assert not asks_form(task)


def test_a_task_that_explains_json_in_sentences_is_held_to_the_sentences() -> None:
    """What the answer is about is not its form."""
    assert form_faults("Explain in two sentences what JSON is.", TWO) == []
    assert "sentences" in faults("Explain in two sentences what JSON is.", THREE)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is 3.5 degrees, e.g. in May. Then it rains", 2),
        ("Dr. Adler came at 5 p.m. on Monday. She left.", 2),
        ('He said "Stop!" and left. "Why?" she asked.', 2),
        ("Wait... What?! Yes.", 3),
        ("no full stop", 1),
        ("Über uns. Ändern wir es.", 2),
        ("(It rains.) It pours.", 2),
        ("“It rains.” “It pours.”", 2),
        ("It rains.\nIt pours.\n", 2),
        ("See example.com for more.", 1),
    ],
)
def test_sentences_are_counted_as_people_do(text: str, count: int) -> None:
    """Points of abbreviations, numbers and addresses end none, and what ends without a point is one too."""
    assert form_faults(f"Say it in {count} sentences.", text) == []
    assert f"it has {count} sentences" in faults(f"Say it in {count + 1} sentences.", text)


def test_more_than_one_kind_of_length_may_be_wrong() -> None:
    """Each kind is told once; the first that says how many sentences counts."""
    task = "Explain it in two sentences, in at most 3 words. Then at most three sentences."
    assert form_faults(task, "One two. Three four. Five. Six.") == [
        "it has 4 sentences, and must have at most 3", "it has 6 words, and must have at most 3",
    ]  # fmt: skip


def test_json_nested_too_deeply_is_a_fault() -> None:
    """It is no reason to raise."""
    assert "JSON" in faults("Answer as JSON.", "[" * 100_000)


@given(
    st.text(max_size=80)
    | st.lists(
        st.sampled_from(
            ["in", "at most", "exactly", "two", "a", "9999", "sentences", "words", "JSON", "as", "list", "lines", "one",
             "per line", "bullet points", "only the code", "one word", "."]
        )
    ).map(" ".join),
    st.text(max_size=120),
)  # fmt: skip
def test_any_task_and_answer_have_short_faults_or_none(task: str, answer: str) -> None:
    """Nothing raises, and the faults are few words for the model; a language is kept without being asked for."""
    assert asks_form(task) or set(form_faults(task, answer)) <= {"the answer must be in the language of the task"}
    assert all(0 < len(fault) < 100 and "\n" not in fault for fault in form_faults(task, answer))


@pytest.mark.parametrize("piece", [".", "!?", ". ", "..\n", '."', " ", "a. ", "1.", "- ", "```", "[", "e.g."])
def test_a_very_long_answer_is_counted_too(piece: str) -> None:
    """What a model may write in a loop is read in one go."""
    task = "In two sentences, at most 9 words, 3 bullet points."
    assert form_faults(task, f"{piece * (60_000 // len(piece))}x")


@pytest.mark.requirement("G5")
@pytest.mark.parametrize(
    ("question", "answer", "fits"),
    [
        ("How many boats are there?", "12 boats", True),
        ("Where are we staying?", "yes, none, yes", False),
        ("Where are we staying?", "at the Swan, yes", True),
        ("When does it open?", "9", True),
        ("How many boats are there?", "Lena Moravec", False),
        ("How many people are allowed in at once?", "four people", True),
        ("How many people are allowed in at once?", "people", False),
        ("How often may it be renewed?", "once", True),
        ("How many books were late?", "0.20 euros for each day", False),
        ("How many books were late?", "41,000 books", True),
        ("How late is the shop open?", "5 euros for every hour begun", False),
        ("How late can I bring it back?", "18:30", True),
        ("How late can I bring it back?", "a fee", False),
        ("How late is the train?", "8 minutes", True),
        ("How old is the boat?", "35 euros", False),
        ("When is the boat free?", "€35 a day", False),
        ("Where do I pay the 35 euros?", "at the desk", True),
        ("How heavy is the cake?", "2 pounds of flour", True),
        ("How much does a helmet cost?", "it is free", True),
        ("How much do children pay?", "half the price", True),
        ("How much do children pay?", "the price", False),
        ("How many weeks does it take?", "5 weeks", True),
        ("How many weeks does it take?", "5 days", False),
        ("How many kilometres is it?", "5 km", True),
        ("How many of the 30 days are left?", "9 days", True),
        ("How long is it open?", "16:00", False),
        ("How long can I leave it there?", "2026-04-20", False),
        ("How long can I leave it there?", "until 2026-04-20", True),
        ("How long has Ines been a member?", "2019-04-01", True),
        ("How long is it open?", "from 9:00 to 16:00", True),
        ("When does it open?", "16:00", True),
        ("What are the opening hours?", "2010-06-25", False),
        ("What are the opening hours?", "9:00 to 17:30", True),
        ("What are the opening hours?", "from nine to six", True),
        ("At what time does it close?", "8 pm", True),
        ("At what time does it close?", "Lena", False),
        ("At what time of year are dogs not allowed?", "from March to July", True),
        ("How much is it and who pays?", "Lena Moravec", True),
        ("What is the phone number of the shop?", "the Harbour shop", False),
        ("What is the phone number of the shop?", "0171 2345", True),
        ("What is the phone number of Mrs Olsen?", "14", False),
        ("What is the phone number of Mrs Olsen?", "number 14", False),
        ("What is the emergency phone number?", "112", True),
        ("What is the phone number of Mrs Olsen?", "+44 (7700) 900-845", True),
        ("What is the email address of the warden?", "Lena Moravec", False),
        ("What is the e-mail of the warden?", "lena@club.org", True),
        ("Which website has the rules?", "Lena", False),
        ("Which website has the rules?", "club.org/rules", True),
        ("Who is the warden?", "Lena Moravec", True),
        ("", "", True),
        ("Since which year has she led it?", "19 years", False),
        ("Since which year has she led it?", "since 2007", True),
        ("Who holds the record for winning it most often?", "Nine", False),
        ("Who holds the record for winning it most often?", "nine times", False),
        ("Who holds the record for winning it most often?", "17", False),
        ("Who holds the record for winning it most often?", "Maud Wragg, nine times", True),
        ("Whose number is it?", "4711", False),
        ("Who was late?", "No one", True),
        ("Who was late?", "Nobody", True),
        ("When was it?", "1988", True),
        ("On which date did he die?", "1988", False),
        ("On which date did he die?", "April 5, 1975", True),
        ("On what date is the fete?", "12.07.2025", True),
        ("On what date is the fete?", "Saturday", True),
        ("It is in a university of what Australian city?", "Australian National University", False),
        ("It is in a university of what Australian city?", "Canberra", True),
        ("In which town was she born?", "Museum Street", False),
        ("In which town was she born?", "College Park", True),
        ("Which city museum has the boat?", "The Harbour Museum", True),
        ("Which village does the school bus stop in?", "Lorne", True),
    ],
)
def test_an_answer_is_of_the_kind_that_was_asked_for(question: str, answer: str, fits: bool) -> None:
    """A quantity has a digit and an address looks like one; what cannot be told by its look may be anything."""
    assert is_of_kind(question, answer) == fits


def test_sentences_of_a_list_are_no_more_than_were_asked_for() -> None:
    """One item may hold two; an abbreviation ends none."""
    two = items("Write a two-sentence reminder.")
    assert two is not None
    assert two.joined(["Bring it back!", "It is late. Do it today."]) == "Bring it back! It is late."
    assert two.joined([" Dr. Adler waits, e.g. today", "Come."]) == "Dr. Adler waits, e.g. today Come."


@pytest.mark.parametrize(
    ("noun", "thing"),
    [
        ("books", True),
        ("people", True),
        ("", False),
        ("euros", False),
        ("kilometres", False),
        ("units", False),
        ("square", False),
    ],
)
def test_things_are_counted_and_measures_are_not(noun: str, thing: bool) -> None:
    """Half a book is none; half a kilometre is one."""
    assert is_thing(noun) == thing


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("Name it in 3 bullet points.", "a" + "\n" * 190_000 + "b"),
        ("Name it in 3 bullet points.", "-" + " \n" * 95_000 + "b"),
        ("list 3 " * 20_000, "Yes."),
    ],
)
def test_text_made_to_be_slow_is_counted_like_any_other(task: str, answer: str) -> None:
    """What would take minutes if each line, or each word, looked at all that follow."""
    form_faults(task, answer)


def test_points_are_counted_line_by_line() -> None:
    """Empty lines between points, and space before them, do not matter."""
    task = "Name it in 3 bullet points."
    assert not form_faults(task, "\n\n - a\n\n\n\t* b\n 3) c\n")
    assert "it has 2 points" in faults(task, "- a\n\n- b\n-\n\n")


@pytest.mark.requirement("T2")
@pytest.mark.parametrize(
    ("question", "so"),
    [
        ("May I bring my dog?", True),
        ("Isn't breakfast included?", True),
        ("Do you have rooms for families? ", True),
        ("Is it open on Monday or on Tuesday?", False),
        ("Can you tell me when it opens?", False),
        ("Could you list all classes?", False),
        ("Does anybody know who teaches boxing?", False),
        ("Who may bring a dog?", False),
        ("May is the month of the fair. When is it?", False),
        ("Is it open. When?", False),
        ("Do it now", False),
        ("My son has new earrings, may he keep them in?", True),
        ("I have two dogs. Can I bring them?", True),
        ("If I come late, do I have to pay?", True),
        ("What does it cost, is it free?", False),
        ("We are three, what do we pay?", False),
        ("We came late, do we pay or not?", False),
    ],
)
def test_questions_of_yes_or_no_begin_with_their_verb(question: str, so: bool) -> None:
    """Something may be told before; a choice of two things is none, nor a request that begins like one."""
    assert asks_yes_no(question) is so


@pytest.mark.parametrize(
    ("question", "so"),
    [
        ("May I bring my dog?", True),
        ("My daughter is 14. May she go out alone?", True),
        ("Can a ten-year-old train alone?", True),
        ("Do I have to book a court?", True),
        ("Am I allowed to drill on a Sunday?", True),
        ("Are dogs allowed in the garden?", True),
        ("Do children need to wear a helmet?", True),
        ("Could you work out the average rent?", False),
        ("Has Bo paid?", False),
        ("Does Nadia drive more than Omar?", False),
        ("Can you tell me how much Bo owes?", False),
        ("Can I come on Monday or on Tuesday?", False),
        ("Mayor Dunn paid, did he?", False),
    ],
)
def test_what_is_allowed_is_asked_with_a_verb_for_it(question: str, so: bool) -> None:
    """And as a question of yes or no: whether somebody did something is another."""
    assert asks_leave(question) is so


@pytest.mark.parametrize(
    ("answer", "refuses"),
    [
        ("As an AI language model, I do not have access to any files.", True),
        ("I'm sorry, but I can't assist with that.", True),
        ("I am sorry, as an AI I cannot say.", True),
        ("I don't have access to the internet.", True),
        ("I cannot swim, said the duck.", False),
        ("I'm sorry that the delivery is late.", False),
        ("An AI is a program.", False),
    ],
)
def test_an_author_that_speaks_of_itself_has_not_done_the_task(answer: str, refuses: bool) -> None:
    """It is asked again, and no such text counts as done."""
    assert ("its author" in faults("Write a line about ducks.", answer)) is refuses


def test_a_name_is_no_number() -> None:
    """Where the name of something is asked for in so many words."""
    assert not is_of_kind("What is the name of the council warden?", "01632 960355")
    assert is_of_kind("What is the name of the council warden?", "Ms Pell")
    assert is_of_kind("What is the number of the council warden?", "01632 960355")


@pytest.mark.parametrize(
    ("task", "text", "said"),
    [
        ("Write a short email to Ann that her pine frame is ready.", "Dear Ann,\n\nYour pine frame is ready.", True),
        ("Write a short email to Ann that her pine frame is ready.", "Dear Ann,\n\nThank you for your reply.", False),
        ("Write a short email in German to Ann that her pine frame is ready.", "Liebe Ann, Ihr Rahmen ist da.", True),
        ("Write a letter that is short.", "Dear Ann,\n\nThank you for your reply.", True),
        ("Write a short email to Ann.", "Dear Ann,\n\nThank you for your reply.", True),
    ],
)
def test_a_letter_says_what_it_is_to_say(task: str, text: str, said: bool) -> None:
    """One of politeness alone, that has no word of it, is not what was asked for."""
    assert [fault for fault in form_faults(task, text) if fault.startswith("it must say")] == (
        [] if said else ["it must say that her pine frame is ready"]
    )
