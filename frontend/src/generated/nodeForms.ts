/** Written by `python -m streaming.definition.forms`; do not edit. */

export type FieldRole = "stream" | "node" | "nodes" | "name" | "fields" | "expression" | "duration" | "number" | "fraction" | "flag" | "choice" | "window" | "columns" | "aggregates" | "function" | "groups" | "lists" | "text" | "orders" | "subsets" | "pattern" | "after_match";

/** A field of a node; `initial` is its default; null where a value is required. */
export interface NodeField {
  name: string;
  role: FieldRole;
  required: boolean;
  nullable: boolean;
  initial: unknown;
  choices: readonly string[];
}

export interface KindForm {
  help: string;
  fields: readonly NodeField[];
}

export interface AggregateForm {
  name: string;
  signature: string;
  help: string;
  parameter: "k" | "fraction" | null;
  bare: boolean;
}

export const NODE_FORMS: Readonly<Record<string, KindForm>> = {
  "input": {
    "help": "Reads a stream.",
    "fields": [
      {
        "name": "stream",
        "role": "stream",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "filter": {
    "help": "Keeps the events for which `where` is true; null is not true. Lifetimes are kept.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "where",
        "role": "expression",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "project": {
    "help": "Replaces the payload by `columns`. Lifetimes are kept.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "columns",
        "role": "columns",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "shift": {
    "help": "Moves both ends of every lifetime by `by`, which may be negative; CTIs move by the same amount.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "by",
        "role": "duration",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "set_duration": {
    "help": "Gives every event the lifetime `[start, start + duration)` and removes the ends of edges.\nSet either `duration` or `expression`, a long in ticks for each event. An event whose value is null, zero or less is removed.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "duration",
        "role": "duration",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      },
      {
        "name": "expression",
        "role": "expression",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      }
    ]
  },
  "extend": {
    "help": "Moves the end of every lifetime by `by`; an event whose lifetime is then empty is removed.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "by",
        "role": "duration",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "clip": {
    "help": "Ends every lifetime at the first later start of an event of `by` with equal `keys`.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "by",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "keys",
        "role": "fields",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "point_at_end": {
    "help": "Replaces every lifetime by a point at its end; events that never end are removed.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "to_intervals": {
    "help": "Pairs the start and the end of each edge into one interval, released when the edge ends.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "order_edges": {
    "help": "Releases the starts and ends of edges in order of time; the first query of the two-query recipe.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "chop": {
    "help": "Cuts every lifetime at the ticks `offset + k * period` inside it; the pieces of an edge are edges.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "period",
        "role": "duration",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "offset",
        "role": "duration",
        "required": false,
        "nullable": false,
        "initial": 0,
        "choices": []
      }
    ]
  },
  "stitch": {
    "help": "Joins lifetimes of equal payloads that meet: one ends where the next one starts. Overlaps are not joined.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "union": {
    "help": "Merges the events of `inputs`, which have the same fields, and releases them in order of start.",
    "fields": [
      {
        "name": "inputs",
        "role": "nodes",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "join": {
    "help": "Pairs events with equal `keys` for which `where` is true, while both live.\nThe payload has the fields of the left, then those of the right that are not keys. A null key equals nothing. `left_outer` adds the parts of left lifetimes without a partner, with nulls for the right.\nAs SQL, `SELECT a.k, b.v AS w FROM a JOIN b ON a.k = b.j` puts a project node before each side. That node keeps the columns that the text names. It renames columns that both sides have and keys whose names differ.",
    "fields": [
      {
        "name": "left",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "right",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "keys",
        "role": "fields",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "where",
        "role": "expression",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      },
      {
        "name": "type",
        "role": "choice",
        "required": false,
        "nullable": false,
        "initial": "inner",
        "choices": [
          "inner",
          "left_outer"
        ]
      }
    ]
  },
  "anti_join": {
    "help": "Keeps the parts of left lifetimes during which no matching right event lives.",
    "fields": [
      {
        "name": "left",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "right",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "keys",
        "role": "fields",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "where",
        "role": "expression",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      }
    ]
  },
  "semi_join": {
    "help": "Keeps the parts of left lifetimes during which a matching right event lives.",
    "fields": [
      {
        "name": "left",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "right",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "keys",
        "role": "fields",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "where",
        "role": "expression",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      }
    ]
  },
  "asof_join": {
    "help": "Joins each left event with the matching right event that started last, at its own start or before.",
    "fields": [
      {
        "name": "left",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "right",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "keys",
        "role": "fields",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "type",
        "role": "choice",
        "required": false,
        "nullable": false,
        "initial": "inner",
        "choices": [
          "inner",
          "left_outer"
        ]
      }
    ]
  },
  "window": {
    "help": "Groups events by window and by `group_by` fields, and emits a row of aggregates for each group of each window.\nA window closes `grace` after its end (None: the default of the input's preset, else zero; T19). `emit` sets when rows appear (T20), `retract` adds a deletion for each replaced row. `empty: default` also emits rows for windows without events between two windows with events, no further apart than `empty_gap`, for each of `empty_groups` (T21).",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "group_by",
        "role": "fields",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "window",
        "role": "window",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "grace",
        "role": "duration",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      },
      {
        "name": "emit",
        "role": "choice",
        "required": false,
        "nullable": false,
        "initial": "final",
        "choices": [
          "final",
          "on_complete",
          "running"
        ]
      },
      {
        "name": "retract",
        "role": "flag",
        "required": false,
        "nullable": false,
        "initial": false,
        "choices": []
      },
      {
        "name": "empty",
        "role": "choice",
        "required": false,
        "nullable": false,
        "initial": "skip",
        "choices": [
          "skip",
          "default"
        ]
      },
      {
        "name": "empty_gap",
        "role": "duration",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      },
      {
        "name": "empty_groups",
        "role": "groups",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      },
      {
        "name": "aggregates",
        "role": "aggregates",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "top_k": {
    "help": "Emits, for each group of each window, the `k` events with the largest value of `by`, and all ties at rank k.\nEach row has the lifetime of the window; an event whose `by` is null has no rank.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "window",
        "role": "window",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "group_by",
        "role": "fields",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "by",
        "role": "expression",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "k",
        "role": "number",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "match_recognize": {
    "help": "Searches the rows of each group, in order, for `pattern`, and emits the `measures` of each match.\nRows are in order of start, then of `order_by`, then of payload. A variable of the pattern takes a row for which its condition in `define` is true; without a condition it takes any row. The last row of a match starts less than `within` after the first. PREV and NEXT see rows less than `reach` away (None: `within`). `after_match` sets where the search continues, `rows` the rows of a match that are emitted, and `lifetime` their lifetime.\nA match is final when no later row can change it. `grace` is the time for which late events still take their place. With `emit: running`, rows also appear before they are final, and may be retracted.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "group_by",
        "role": "fields",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "order_by",
        "role": "orders",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "pattern",
        "role": "pattern",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "subsets",
        "role": "subsets",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "define",
        "role": "columns",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "measures",
        "role": "columns",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "rows",
        "role": "choice",
        "required": false,
        "nullable": false,
        "initial": "one",
        "choices": [
          "one",
          "all",
          "all_omit_empty",
          "all_with_unmatched"
        ]
      },
      {
        "name": "after_match",
        "role": "after_match",
        "required": false,
        "nullable": false,
        "initial": "past_last_row",
        "choices": []
      },
      {
        "name": "within",
        "role": "duration",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      },
      {
        "name": "reach",
        "role": "duration",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      },
      {
        "name": "grace",
        "role": "duration",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      },
      {
        "name": "lifetime",
        "role": "choice",
        "required": false,
        "nullable": false,
        "initial": "last_row",
        "choices": [
          "last_row",
          "span"
        ]
      },
      {
        "name": "emit",
        "role": "choice",
        "required": false,
        "nullable": false,
        "initial": "final",
        "choices": [
          "final",
          "running"
        ]
      },
      {
        "name": "max_rows",
        "role": "number",
        "required": false,
        "nullable": false,
        "initial": 10000,
        "choices": []
      }
    ]
  },
  "analytic": {
    "help": "Passes each event once, with a column for each function over rows of its group, in order (T43 to T47).\nRows are in order of start, then of `order_by`, then of payload. Rows `reach` or more away are not seen. A row is known once the CTI is more than `grace` above its start; kept late events before that take their place in the order.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "group_by",
        "role": "fields",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "order_by",
        "role": "orders",
        "required": false,
        "nullable": false,
        "initial": [],
        "choices": []
      },
      {
        "name": "reach",
        "role": "duration",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      },
      {
        "name": "grace",
        "role": "duration",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      },
      {
        "name": "columns",
        "role": "lists",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  },
  "output": {
    "help": "Emits the results of the query; `timestamp` sets their lifetime (T22).\n`lifetime` is the row's own, `point_at_end` a point at its end, `latest_input` a point at the latest start among the events that contributed to it, but not before the row's own start.",
    "fields": [
      {
        "name": "input",
        "role": "node",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "timestamp",
        "role": "choice",
        "required": false,
        "nullable": false,
        "initial": "lifetime",
        "choices": [
          "lifetime",
          "point_at_end",
          "latest_input"
        ]
      }
    ]
  }
};

export const WINDOW_FORMS: Readonly<Record<string, KindForm>> = {
  "tumbling": {
    "help": "Windows `[offset + k*size, offset + (k+1)*size)`; `offset` counts from 1970-01-01T00:00Z (T23).",
    "fields": [
      {
        "name": "size",
        "role": "duration",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "offset",
        "role": "duration",
        "required": false,
        "nullable": false,
        "initial": 0,
        "choices": []
      }
    ]
  },
  "hopping": {
    "help": "Windows `[offset + k*hop, offset + k*hop + size)`; hop above size leaves gaps (T25).",
    "fields": [
      {
        "name": "size",
        "role": "duration",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "hop",
        "role": "duration",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "offset",
        "role": "duration",
        "required": false,
        "nullable": false,
        "initial": 0,
        "choices": []
      }
    ]
  },
  "time_interval": {
    "help": "SPL panes `[k*period + offset, k*period + offset + duration)`; `period` defaults to the duration.\n`discard_age` is SPL's name for the grace of the window (T19).",
    "fields": [
      {
        "name": "duration",
        "role": "duration",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "period",
        "role": "duration",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      },
      {
        "name": "offset",
        "role": "duration",
        "required": false,
        "nullable": false,
        "initial": 0,
        "choices": []
      },
      {
        "name": "discard_age",
        "role": "duration",
        "required": false,
        "nullable": false,
        "initial": 0,
        "choices": []
      }
    ]
  },
  "calendar": {
    "help": "The days, weeks (from Monday), months, quarters or years of a time zone: `[start of one, start of the next)`.\nWith a clock change, a day has 23 or 25 hours. If the change skips midnight, the day starts at the change; if midnight occurs twice, it starts at the first. A day that the zone skips has no window (T63).",
    "fields": [
      {
        "name": "unit",
        "role": "choice",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": [
          "day",
          "week",
          "month",
          "quarter",
          "year"
        ]
      },
      {
        "name": "zone",
        "role": "text",
        "required": false,
        "nullable": false,
        "initial": "UTC",
        "choices": []
      }
    ]
  },
  "session": {
    "help": "For each group `[first start, last start + gap)`: an event that starts before that end belongs to it.\n`max` limits the length: an event that would exceed it opens the next session.",
    "fields": [
      {
        "name": "gap",
        "role": "duration",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      },
      {
        "name": "max",
        "role": "duration",
        "required": false,
        "nullable": true,
        "initial": null,
        "choices": []
      }
    ]
  },
  "snapshot": {
    "help": "For each group, a window between any two adjacent starts or ends with at least one live event.",
    "fields": []
  },
  "count": {
    "help": "For each group, from each distinct start to the `n`-th distinct start + 1 tick; holds events that start in it.",
    "fields": [
      {
        "name": "n",
        "role": "number",
        "required": true,
        "nullable": false,
        "initial": null,
        "choices": []
      }
    ]
  }
};

export const AGGREGATE_FIELDS: readonly NodeField[] = [
  {
    "name": "name",
    "role": "name",
    "required": true,
    "nullable": false,
    "initial": null,
    "choices": []
  },
  {
    "name": "function",
    "role": "function",
    "required": true,
    "nullable": false,
    "initial": null,
    "choices": []
  },
  {
    "name": "of",
    "role": "expression",
    "required": false,
    "nullable": true,
    "initial": null,
    "choices": []
  },
  {
    "name": "filter",
    "role": "expression",
    "required": false,
    "nullable": true,
    "initial": null,
    "choices": []
  },
  {
    "name": "k",
    "role": "number",
    "required": false,
    "nullable": true,
    "initial": null,
    "choices": []
  },
  {
    "name": "fraction",
    "role": "fraction",
    "required": false,
    "nullable": true,
    "initial": null,
    "choices": []
  }
];

export const COLUMN_FIELDS: readonly NodeField[] = [
  {
    "name": "name",
    "role": "name",
    "required": true,
    "nullable": false,
    "initial": null,
    "choices": []
  },
  {
    "name": "of",
    "role": "expression",
    "required": true,
    "nullable": false,
    "initial": null,
    "choices": []
  }
];

export const AGGREGATE_FORMS: readonly AggregateForm[] = [
  {
    "name": "count",
    "signature": "count([value]) -> long",
    "help": "The number of events, or of values that are not null.",
    "parameter": null,
    "bare": true
  },
  {
    "name": "sum",
    "signature": "sum(number)",
    "help": "The exact sum; doubles are rounded once. decimal(p,s) gives decimal(p+10,s).",
    "parameter": null,
    "bare": false
  },
  {
    "name": "avg",
    "signature": "avg(number) -> double or decimal",
    "help": "The exact mean, rounded once; decimal(p,s) gives decimal(p+4,s+4), rounded half up.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "min",
    "signature": "min(value)",
    "help": "The smallest value: text by code point, false before true.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "max",
    "signature": "max(value)",
    "help": "The largest value: text by code point, false before true.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "stddev",
    "signature": "stddev(number) -> double",
    "help": "The standard deviation of a sample (divided by n - 1); null for a single value.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "stddev_pop",
    "signature": "stddev_pop(number) -> double",
    "help": "The standard deviation of a population (divided by n).",
    "parameter": null,
    "bare": false
  },
  {
    "name": "variance",
    "signature": "variance(number) -> double",
    "help": "The variance of a sample (divided by n - 1); null for a single value.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "variance_pop",
    "signature": "variance_pop(number) -> double",
    "help": "The variance of a population (divided by n).",
    "parameter": null,
    "bare": false
  },
  {
    "name": "first",
    "signature": "first(value)",
    "help": "The value of the earliest start; the smallest if several have that start.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "last",
    "signature": "last(value)",
    "help": "The value of the latest start; the largest if several have that start.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "count_distinct",
    "signature": "count_distinct(value) -> long",
    "help": "The number of different values.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "approx_count_distinct",
    "signature": "approx_count_distinct(value) -> long",
    "help": "The number of different values: exact up to 1,000 of them, above that within 2 %.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "percentile_disc",
    "signature": "percentile_disc(value, fraction)",
    "help": "The smallest value such that at least the share `fraction` (0 to 1) of all values is no larger.",
    "parameter": "fraction",
    "bare": false
  },
  {
    "name": "percentile_cont",
    "signature": "percentile_cont(number, fraction) -> double",
    "help": "The value at the position `fraction * (n - 1)` of the sorted values, counted from 0; between two positions, interpolated linearly.",
    "parameter": "fraction",
    "bare": false
  },
  {
    "name": "approx_percentile",
    "signature": "approx_percentile(value, fraction)",
    "help": "As percentile_disc: exact up to 1,000 values, above that within 1 % of rank.",
    "parameter": "fraction",
    "bare": false
  },
  {
    "name": "ewma",
    "signature": "ewma(number, fraction) -> double",
    "help": "The exponentially weighted moving average in order of start, of one start in order of value: the first value, then for each next value `average + fraction * (value - average)`, step by step in doubles; null if one overflows.",
    "parameter": "fraction",
    "bare": false
  },
  {
    "name": "collect",
    "signature": "collect(value) -> array",
    "help": "All values in order of start; values with the same start in order of value.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "collect_distinct",
    "signature": "collect_distinct(value) -> array",
    "help": "The different values in order.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "topk",
    "signature": "topk(value, k) -> array",
    "help": "The `k` most frequent values, the most frequent first, equally frequent ones in order of value; values as frequent as the last of these are returned too.",
    "parameter": "k",
    "bare": false
  },
  {
    "name": "maxk",
    "signature": "maxk(value, k) -> array",
    "help": "The `k` largest values, the largest first; values equal to the last of these are returned too.",
    "parameter": "k",
    "bare": false
  },
  {
    "name": "mink",
    "signature": "mink(value, k) -> array",
    "help": "The `k` smallest values, the smallest first; values equal to the last of these are returned too.",
    "parameter": "k",
    "bare": false
  },
  {
    "name": "maxk_unique",
    "signature": "maxk_unique(value, k) -> array",
    "help": "The `k` largest different values, the largest first.",
    "parameter": "k",
    "bare": false
  },
  {
    "name": "mink_unique",
    "signature": "mink_unique(value, k) -> array",
    "help": "The `k` smallest different values, the smallest first.",
    "parameter": "k",
    "bare": false
  },
  {
    "name": "time_weighted_avg",
    "signature": "time_weighted_avg(number) -> double or decimal",
    "help": "The mean, each value weighted by how long its event lives within the window; decimals as in avg.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "time_weighted_sum",
    "signature": "time_weighted_sum(number) -> double or decimal",
    "help": "The sum of each value times the ticks that its event lives within the window; decimal(p,s) gives decimal(p+20,s).",
    "parameter": null,
    "bare": false
  }
];
