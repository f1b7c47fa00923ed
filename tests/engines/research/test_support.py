"""What a judge is asked about cited sentences."""

from __future__ import annotations

import pytest

from aeon.engines.research.support import answering
from aeon.supervisor.judge import Judge
from aeon.supervisor.supervisor import Supervisor
from engines.research.reader import Reader, done

pytestmark = [pytest.mark.requirement("R3")]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Somebody's whistle is in the box. Where did its owner live?", "Where did its owner live?"),
        ("A soldier of St. John's thanked the club. He had socks. What did he want?", "What did he want?"),
        ("Where was Dr. Lorne born?", "Where was Dr. Lorne born?"),
        ("Is it so? I read it. In which town?", "Is it so? I read it. In which town?"),
        ("Tell me where she was born. I forgot it.", "Tell me where she was born. I forgot it."),
    ],
)
def test_what_is_told_before_a_question_is_not_held_against_a_sentence(question: str, asked: str) -> None:
    """No sentence of a text says that, too; of several questions nothing is left out."""
    model = Reader(supports={"Lorne": 0.9})
    done(answering(Judge(Supervisor(model), samples=0), "Lorne: He lived in Lorne.", question), 9)
    (prompt,) = model.prompts
    assert f"Question: {asked}\n" in prompt and ("whistle" in prompt) is ("whistle" in asked)
