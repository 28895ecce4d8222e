"""What addresses write nothing into the audit log though their method could, and why."""

WRITES_NOTHING: dict[tuple[str, str], str] = {
    ("queries/validate/", "post"): "looks for faults in what is sent",
    ("queries/complete/", "post"): "says what may stand at a place of a text",
    ("queries/complete-expression/", "post"): "says what may stand at a place of an expression",
    ("queries/explain/", "post"): "says what a query would do",
    ("queries/preflight/", "post"): "measures rows of the inputs",
    ("queries/simulate/", "post"): "says what a query makes of a sample",
    ("queries/compare/", "post"): "says what late policies make of a sample",
    ("queries/what-if/", "post"): "says what delays make of a sample",
    ("queries/<uuid:query>/merge/", "post"): "says what a merge would be",
    ("queries/<uuid:query>/scenarios/observe/", "post"): "says what comes of a sample",
    ("queries/<uuid:query>/scenarios/read/", "post"): "says what a transcript would keep",
    ("queries/<uuid:query>/scenarios/run/", "post"): "keeps a fact about a version, as its faults are",
    ("streams/infer/", "post"): "proposes what a stream could be",
    ("streams/<uuid:stream>/rows/", "post"): "stores data, which the receipt and the inbox count",
    ("files/uploads/", "post"): "begins what only its end makes a file of",
    ("files/uploads/<uuid:upload>/", "patch"): "sends bytes of what only its end makes a file of",
    ("samples/stream/", "post"): "reads rows of a stream",
    ("samples/text/", "post"): "reads rows of a text",
    ("samples/generated/", "post"): "makes up rows",
    ("samples/quarantine/", "post"): "reads rows of a quarantine",
    ("samples/running/", "post"): "reads rows again that a binding has read",
    ("bindings/<uuid:binding>/outputs/check/", "post"): "tries outputs and stores nothing",
    ("definitions/plan/", "post"): "says what applying would change",
    ("transcripts/run/", "post"): "runs what is sent, on the data that are sent",
}
"""Methods other than GET of which no event comes, and why."""
