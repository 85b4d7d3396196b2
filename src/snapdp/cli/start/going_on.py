"""Going on with a conversation that was stopped: the answers of its draft, if they are wanted.

Room: cli.
"""

from __future__ import annotations

from snapdp.cli.screen import one_line
from snapdp.cli.start.draft_file import DraftFile
from snapdp.cli.start.interview import Interview
from snapdp.cli.start.pages import show_problem
from snapdp.cli.start.questions import Choice, Flow, Key, Question, one_of
from snapdp.errors import SnapdpError

GO_ON = Choice(word="go on", means="where it stopped", others=("on", "go"))
OVER = Choice(word="start over", means="with the first question; these answers are lost", others=("over", "start"))


def answers_of(draft: DraftFile) -> dict[Key, str]:
    """Return the answers of a draft, if there is one and somebody wants to go on with them."""
    if not draft.exists:
        return {}
    menu: tuple[Choice, ...] = (GO_ON, OVER)
    try:
        answers = draft.read()
    except SnapdpError as refusal:
        show_problem(refusal)
        answers, menu = {}, (OVER,)
    many = f"{one_line(draft.path.name)} has {len(answers)} answer{'s' * (len(answers) != 1)} of before."
    said = many if GO_ON in menu else "Start over?"

    def asked() -> Flow[str]:
        word: str = yield Question(key=("draft",), text=said, menu=menu, check=one_of(menu))
        return word

    chosen = Interview({}, lambda _: None).run(asked)
    if chosen == GO_ON.word:
        return answers
    draft.names, draft.reading = None, {}
    return {}
