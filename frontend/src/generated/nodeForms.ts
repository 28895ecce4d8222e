/** Written by `python -m streaming.definition.forms`; do not edit. */

export type FieldRole = "stream" | "node" | "nodes" | "name" | "fields" | "expression" | "duration" | "number" | "fraction" | "flag" | "choice" | "window" | "columns" | "aggregates" | "function" | "groups";

/** A field of a node; `initial` stands where nothing is said, and is null where something must be. */
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
    "help": "Where a stream enters the query.",
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
    "help": "Moves both ends of every lifetime by `by`, which may be negative; CTIs move alike.",
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
    "help": "Gives every event the lifetime `[start, start + duration)`; edge ends disappear.\nOne of `duration` and `expression`, a long in ticks for each event; zero or less, or null, removes the event.",
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
    "help": "Moves the end of every lifetime by `by`; an event that is then empty is removed.",
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
    "help": "Replaces every lifetime by a point at its end; what never ends is removed.",
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
    "help": "Pairs the start and the end of each edge into one interval, released when it is closed.",
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
    "help": "Releases the starts and ends of edges in order of time: the first query of the two-query recipe.",
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
    "help": "All events of `inputs`, which have the same fields; released in order of start.",
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
    "help": "Pairs events with equal `keys`, for which `where` is true, while both live.\nThe payload is the fields of the left, then those of the right that are no keys. A null key equals nothing. `left_outer` adds the parts of left lifetimes without a partner, with nulls for the right.\nAs SQL, `SELECT a.k, b.v AS w FROM a JOIN b ON a.k = b.j` puts a project before each side: it takes what the text names, and renames what both have and keys of two names.",
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
    "help": "The parts of left lifetimes during which no matching right event lives.",
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
    "help": "The parts of left lifetimes during which some matching right event lives.",
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
    "help": "Each left event with the matching right event of the largest start that is not after its own.",
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
    "help": "Groups events by window and by `group_by` fields, and gives rows of aggregates for each group of each window.\nA window closes `grace` after its end (None: the default of the input's preset, else zero; T19). `emit` says when rows appear (T20), `retract` adds a deletion for each replaced row. `empty: default` also gives rows for windows without events between two that have some, no further apart than `empty_gap`, for each of `empty_groups` (T21).",
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
    "help": "The `k` events of each group of each window with the largest `by`, an expression; ties at rank k all count.\nEach is given the lifetime of the window; an event whose `by` is null has no rank.",
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
  "output": {
    "help": "Where results leave the query; `timestamp` says with which lifetime (T22).\n`lifetime` is the row's own, `point_at_end` a point at its end, `latest_input` a point at the latest start among the events that made it, but not before the row's own start.",
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
  "session": {
    "help": "For each group `[first start, last start + gap)`: an event that starts before that end belongs.\n`max` caps the length: the event that would exceed it opens the next session.",
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
    "help": "For each group, between any two neighbouring starts or ends with at least one event alive.",
    "fields": []
  },
  "count": {
    "help": "For each group, from each distinct start to the `n`-th distinct start + 1 tick; holds what starts in it.",
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
    "help": "How many events, or how many values that are not null.",
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
    "help": "The value of the earliest start; of several with that start the smallest.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "last",
    "signature": "last(value)",
    "help": "The value of the latest start; of several with that start the largest.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "count_distinct",
    "signature": "count_distinct(value) -> long",
    "help": "How many different values.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "approx_count_distinct",
    "signature": "approx_count_distinct(value) -> long",
    "help": "How many different values: exactly up to 1,000 of them, beyond that within 2 %.",
    "parameter": null,
    "bare": false
  },
  {
    "name": "percentile_disc",
    "signature": "percentile_disc(value, fraction)",
    "help": "The smallest value that at least the share `fraction` (0 to 1) of the values does not exceed.",
    "parameter": "fraction",
    "bare": false
  },
  {
    "name": "percentile_cont",
    "signature": "percentile_cont(number, fraction) -> double",
    "help": "The value at the place `fraction * (n - 1)` of the sorted values, counted from 0; between two of them on the straight line from one to the other.",
    "parameter": "fraction",
    "bare": false
  },
  {
    "name": "approx_percentile",
    "signature": "approx_percentile(value, fraction)",
    "help": "As percentile_disc: exactly up to 1,000 values, beyond that within 1 % of rank.",
    "parameter": "fraction",
    "bare": false
  },
  {
    "name": "collect",
    "signature": "collect(value) -> array",
    "help": "All values in order of start, those of one start in order of value.",
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
    "help": "The `k` most frequent values, the most frequent first, equally frequent ones in order of value; those as frequent as the last of them are returned too.",
    "parameter": "k",
    "bare": false
  },
  {
    "name": "maxk",
    "signature": "maxk(value, k) -> array",
    "help": "The `k` largest values, the largest first; those equal to the last of them are returned too.",
    "parameter": "k",
    "bare": false
  },
  {
    "name": "mink",
    "signature": "mink(value, k) -> array",
    "help": "The `k` smallest values, the smallest first; those equal to the last of them are returned too.",
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
    "help": "The mean in which each value weighs as long as its event lives within the window; decimals as in avg.",
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
