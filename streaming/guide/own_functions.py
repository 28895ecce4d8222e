"""The part of the page about functions that explains those of a query: macros, and functions in WebAssembly."""

from typing import Final

MODULE: Final = """(module
  (memory (export "memory") 2)
  (func (export "alloc") (param $size i32) (result i32) (i32.const 65536))
  (func (export "spread") (param $at i32) (param $count i32) (result f64)
    (local $i i32) (local $v f64) (local $low f64) (local $high f64)
    (local.set $low (f64.const inf))
    (local.set $high (f64.const -inf))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
        (local.set $v (f64.load (i32.add (local.get $at) (i32.shl (local.get $i) (i32.const 3)))))
        (local.set $low (f64.min (local.get $low) (local.get $v)))
        (local.set $high (f64.max (local.get $high) (local.get $v)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (f64.sub (local.get $high) (local.get $low)))
  (func (export "celsius") (param $f f64) (result f64)
    (f64.div (f64.mul (f64.sub (local.get $f) (f64.const 32)) (f64.const 5)) (f64.const 9))))"""
QUERY: Final = """FUNCTION celsius(f double) RETURNS double MODULE '{hash}' EXPORT 'celsius';
FUNCTION spread(values array<double>) RETURNS double MODULE '{hash}' EXPORT 'spread' FUEL 1000000;

WITH lists AS (SELECT STREAM place, COLLECT(celsius(f)) AS degrees FROM meters WINDOW BY TUMBLE 1h GROUP BY place)
INSERT INTO out SELECT STREAM place, spread(degrees) AS spread FROM lists;"""

TEXT: Final = f"""# Functions of a query

A query can bring functions along. They are part of its version.

A macro is an expression with a name. It is expanded where it is called (T59):

```sql
FUNCTION celsius(f double) RETURNS double AS (f - 32) * 5 / 9;
```

A function in WebAssembly is an export of a module that you upload on the page Files (T60). The page shows the hash \
of the module, which the query names, so a version always calls the same bytes:

```sql
{QUERY.format(hash="<hash>")}
```

An aggregate is a function of an array: `spread` receives the list that COLLECT returns, in its fixed order. This \
module, written as text, has both functions. Any language that compiles to WebAssembly will do; in Rust, for \
example, `#[no_mangle] pub extern "C" fn celsius(f: f64) -> f64`, compiled for the target `wasm32v1-none`.

```
{MODULE}
```

| type | parameter | result |
|---|---|---|
| long, timestamp in microseconds | i64 | i64 |
| double | f64 | f64 |
| boolean | i32, 0 or 1 | i32 |
| string | i32 pointer, i32 length of its UTF-8 | i64: pointer * 2^32 + length |
| array of these | i32 pointer, i32 number of elements | i64: pointer * 2^32 + number of elements |

- An element of an array has 8 bytes, the least significant first: a number, or pointer and length of a string, 4 \
bytes each. A module that passes strings or arrays exports `memory`, and for arguments `alloc`, which returns the \
place of so many bytes.
- A module has no imports: no clock, no random numbers, no files. Every call finds memory and globals as they are \
after loading, so a call depends on its arguments alone.
- A null argument gives null without a call. With `CALLED ON NULL INPUT`, the function is called, and an i32 before \
each argument is 1 if it is null.
- A call may execute 10,000,000 instructions (`FUEL` sets another number) in 16 MiB of memory. If it traps, exceeds \
these limits, or returns NaN or bytes outside of its memory, the result is null and counts as a failure (T61).
- A function of numbers that writes no memory computes more than a million rows per second. Other functions need a \
fresh memory for each row: about 20,000 rows per second.
"""
