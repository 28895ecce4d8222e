"""The kinds of message in a carrier: who sends each kind, and how each stage and the sink handle it.

Feed, stages and sink use this table alone. A message that reaches a place where its kind is not allowed is an error
in the program and raises: to drop it would lose rows, or the notice that a run has ended.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class MessageKind(StrEnum):
    """The kinds of message. `CarrierMessage.chunk` holds the content.

    To the operators (see `Envelope`): `partials`, `events`, `ctis`, `watched`, `reports`.
    Of the batch: `counts`: a lane's counts as JSON; `late`: an Arrow IPC stream of late rows; `failures`: failed
    expressions; `corrections`: changes of counts for rows that windows refused (both as in `OperatorOutput`); `rows`
    and `moved`: the rows and the CTIs that an output released.
    Of the run: `state`: a StateChange; `clear`: delete the binding's state after this batch; `repair`: the name of a
    repair whose rows the batch also emits; `again`, `cut` and `historic`: properties of all rows of a batch, as in
    `BindingWork` and `BindingTurn`, or results of history alone; such rows have the properties as their `lane`.
    `widen`: the control entry whose state a bucket has, before the bucket continues with the query of another.
    Of savepoints: `save` holds the head and requests a bucket's state; `saved`: a piece of a savepoint, or the head;
    `enter`: a piece from which a bucket starts, of the stage that `input` names.
    """

    PARTIALS = "partials"
    EVENTS = "events"
    CTIS = "ctis"
    WATCHED = "watched"
    REPORTS = "reports"
    COUNTS = "counts"
    LATE = "late"
    FAILURES = "failures"
    CORRECTIONS = "corrections"
    ROWS = "rows"
    MOVED = "moved"
    STATE = "state"
    CLEAR = "clear"
    REPAIR = "repair"
    AGAIN = "again"
    CUT = "cut"
    HISTORIC = "historic"
    SAVE = "save"
    SAVED = "saved"
    ENTER = "enter"
    WIDEN = "widen"


class MessageSender(StrEnum):
    """The senders of messages."""

    FEED = "feed"
    FIRST_STAGE = "first_stage"
    SECOND_STAGE = "second_stage"


class StageHandling(StrEnum):
    """The handling of a message by a stage; the sink follows the last stage.

    `passes`: pass it on unread; `reads_and_passes`: read it and pass it on; `reads`: read it and end it;
    `reads_for_both`: read it, and pass it on only if a second stage follows, which reads it too; `never_comes`: an
    error.
    """

    PASSES = "passes"
    READS_AND_PASSES = "reads_and_passes"
    READS = "reads"
    READS_FOR_BOTH = "reads_for_both"
    NEVER_COMES = "never_comes"


class SinkAction(StrEnum):
    """The handling of a message by the sink."""

    WRITES_RESULTS = "writes_results"
    WRITES_LATE_ROWS = "writes_late_rows"
    NOTES_CTIS = "notes_ctis"
    NOTES_CORRECTIONS = "notes_corrections"
    NOTES_FAILURES = "notes_failures"
    NOTES_COUNTS = "notes_counts"
    NOTES_STATE = "notes_state"
    NOTES_CLEARING = "notes_clearing"
    NOTES_REPAIR = "notes_repair"
    WRITES_SAVEPOINT = "writes_savepoint"
    NEVER_COMES = "never_comes"


@dataclass(frozen=True)
class MessageRule:
    """A row of the table: the senders of a kind of message, and its handling by both stages and the sink."""

    senders: frozenset[MessageSender]
    first: StageHandling
    second: StageHandling
    sink: SinkAction

    def at_stage(self, number: int) -> StageHandling:
        """Return the handling by stage `number` (0 or 1)."""
        return self.second if number else self.first


def _rule(
    senders: str, first: StageHandling, second: StageHandling, sink: SinkAction = SinkAction.NEVER_COMES
) -> MessageRule:
    return MessageRule(frozenset(map(MessageSender, senders.split())), first, second, sink)


_K, _H, _S = MessageKind, StageHandling, SinkAction
MESSAGES: Final[dict[MessageKind, MessageRule]] = {
    _K.PARTIALS: _rule("feed first_stage", _H.READS, _H.READS),
    _K.EVENTS: _rule("feed first_stage", _H.READS, _H.READS),
    _K.CTIS: _rule("feed first_stage", _H.READS, _H.READS),
    _K.WATCHED: _rule("feed first_stage", _H.READS, _H.READS),
    _K.REPORTS: _rule("feed first_stage", _H.READS, _H.READS),
    _K.COUNTS: _rule("feed", _H.PASSES, _H.PASSES, _S.NOTES_COUNTS),
    _K.LATE: _rule("feed first_stage second_stage", _H.PASSES, _H.PASSES, _S.WRITES_LATE_ROWS),
    _K.FAILURES: _rule("feed first_stage second_stage", _H.PASSES, _H.PASSES, _S.NOTES_FAILURES),
    _K.CORRECTIONS: _rule("first_stage second_stage", _H.NEVER_COMES, _H.PASSES, _S.NOTES_CORRECTIONS),
    _K.ROWS: _rule("first_stage second_stage", _H.NEVER_COMES, _H.PASSES, _S.WRITES_RESULTS),
    _K.MOVED: _rule("first_stage second_stage", _H.NEVER_COMES, _H.PASSES, _S.NOTES_CTIS),
    _K.STATE: _rule("feed first_stage second_stage", _H.READS_AND_PASSES, _H.READS_AND_PASSES, _S.NOTES_STATE),
    _K.CLEAR: _rule("feed", _H.READS_AND_PASSES, _H.READS_AND_PASSES, _S.NOTES_CLEARING),
    _K.REPAIR: _rule("feed", _H.PASSES, _H.PASSES, _S.NOTES_REPAIR),
    _K.AGAIN: _rule("feed", _H.READS_FOR_BOTH, _H.READS),
    _K.CUT: _rule("feed", _H.READS_FOR_BOTH, _H.READS),
    _K.HISTORIC: _rule("feed", _H.READS_FOR_BOTH, _H.READS),
    _K.SAVE: _rule("feed", _H.READS_FOR_BOTH, _H.READS),
    _K.SAVED: _rule("feed first_stage second_stage", _H.PASSES, _H.PASSES, _S.WRITES_SAVEPOINT),
    _K.ENTER: _rule("feed", _H.READS_FOR_BOTH, _H.READS),
    _K.WIDEN: _rule("feed", _H.READS_FOR_BOTH, _H.READS),
}
"""The rule for every kind of message."""
OF_BATCH: Final = (MessageKind.AGAIN, MessageKind.CUT, MessageKind.HISTORIC)
"""The properties of all rows of a batch."""
_PASSED: Final = (StageHandling.PASSES, StageHandling.READS_AND_PASSES)


class StrayMessage(AssertionError):
    """A message reached a place where its kind is not allowed: an error in the program."""

    def __init__(self, kind: MessageKind, where: str) -> None:
        super().__init__(f"a message {kind} came to the {where}")


def handling(kind: MessageKind, stage: int) -> StageHandling:
    """Return how stage `stage` (0 or 1) handles a message. Raises `StrayMessage`."""
    found = MESSAGES[kind].at_stage(stage)
    if found is StageHandling.NEVER_COMES:
        raise StrayMessage(kind, "second stage" if stage else "first stage")
    return found


def passes_on(kind: MessageKind, stage: int, stages: int) -> bool:
    """Return True if stage `stage` of `stages` passes a message on unchanged. Raises `StrayMessage`."""
    found = handling(kind, stage)
    return found in _PASSED or (found is StageHandling.READS_FOR_BOTH and stage + 1 < stages)


def concerns(kind: MessageKind, stage: int) -> bool:
    """Return True if stage `stage` reads a message. Raises `StrayMessage`."""
    return handling(kind, stage) is not StageHandling.PASSES
