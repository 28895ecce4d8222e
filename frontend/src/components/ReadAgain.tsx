import type { AskedInput } from "../lib/runControl";
import { Elapsed } from "./Elapsed";
import { ErrorNote, Waiting } from "./Notices";

function againOf({ shown, input }: AskedInput) {
  return shown?.inputs.find((each) => each.input === input)?.again ?? null;
}

/** Why what was open cannot be read again; null where it can, as far as that is known. */
export function goneWords(asked: readonly AskedInput[]): string | null {
  const gone = asked.find((each) => againOf(each)?.standing === "gone");
  return gone === undefined ? null : `The input ${gone.input} no longer has the rows that are read again.`;
}

/** Why a run cannot begin as it is told; null where it can, as far as that is known. */
export function notAgain(begin: string | undefined, asked: readonly AskedInput[]): string | null {
  const gone = begin === "oldest_open" ? goneWords(asked) : null;
  return gone === null ? null : `${gone} Choose another way to begin.`;
}

/** Whether each input still has the rows that are read again, as it says when it is asked. */
export function ReadAgain({ asked }: { asked: readonly AskedInput[] }) {
  const said = asked.filter((each) => againOf(each) !== null);
  if (said.length === asked.length && said.length > 0 && said.every((each) => againOf(each)?.standing === "held"))
    return <p className="quiet small">All inputs still have these rows.</p>;
  const telling = asked.filter((each) => each.isAsked || each.error !== null || againOf(each) !== null);
  if (telling.length === 0) return null;
  return (
    <ul className="small">
      {telling.map((each) => (
        <li key={each.input}>
          {each.isAsked ? (
            <Waiting>
              Asking <bdi>{each.stream}</bdi> whether it still has these rows… <Elapsed />
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
