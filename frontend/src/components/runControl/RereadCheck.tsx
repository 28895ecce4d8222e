import type { CheckedInput } from "../../lib/resources/runControl";
import { ErrorNote, Waiting } from "../notices/Notices";
import { Elapsed } from "../values/Elapsed";

function againOf({ shown, input }: CheckedInput) {
  return shown?.inputs.find((each) => each.input === input)?.again ?? null;
}

/** Return why open state can't be rebuilt from the inputs; null if it can, as far as known. */
export function goneWords(asked: readonly CheckedInput[]): string | null {
  const gone = asked.find((each) => againOf(each)?.standing === "gone");
  return gone === undefined ? null : `Input ${gone.input} no longer has the rows that would be read again.`;
}

/** Return why a run can't start from `begin`; null if it can, as far as known. */
export function notAgain(begin: string | undefined, asked: readonly CheckedInput[]): string | null {
  const gone = begin === "oldest_open" ? goneWords(asked) : null;
  return gone === null ? null : `${gone} Choose another start position.`;
}

/** For each input, whether it still has the rows to be read again. */
export function RereadCheck({ asked }: { asked: readonly CheckedInput[] }) {
  const checked = asked.filter((each) => againOf(each) !== null);
  if (
    checked.length === asked.length &&
    checked.length > 0 &&
    checked.every((each) => againOf(each)?.standing === "held")
  )
    return <p className="quiet small">All inputs still have these rows.</p>;
  const telling = asked.filter((each) => each.isAsked || each.error !== null || againOf(each) !== null);
  if (telling.length === 0) return null;
  return (
    <ul className="small">
      {telling.map((each) => (
        <li key={each.input}>
          {each.isAsked ? (
            <Waiting>
              Checking that <bdi>{each.stream}</bdi> still has these rows… <Elapsed />
            </Waiting>
          ) : null}
          {againOf(each) === null ? null : (
            <>
              <strong>{each.input}</strong>: {againOf(each)?.sentence}
            </>
          )}
          {each.isAsked ? null : <ErrorNote error={each.error} onRetry={each.retry} />}
        </li>
      ))}
    </ul>
  );
}
