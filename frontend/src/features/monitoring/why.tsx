import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Instant } from "../../components/Instant";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { api, unwrap } from "../../lib/api";
import { counted } from "../../lib/numbers";
import { useSlug } from "../../lib/session";
import type { MadeInBatch, WhyShown } from "../../model/api";
import { batchWords, movedWords, type WhyAsked, whyBody } from "../../model/why";
import { MostRows, USUAL_AGAIN } from "./MostRows";

/** The answer; what was asked once is not computed again. */
function useWhy(binding: string, asked: WhyAsked, most: number) {
  const slug = useSlug();
  const body = whyBody(binding, asked, most);
  return useQuery({
    queryKey: [slug, "why", body],
    queryFn: () =>
      body === null
        ? Promise.resolve(null)
        : unwrap(api.POST("/api/t/{slug}/samples/why/", { params: { path: { slug } }, body })),
    enabled: body !== null,
    staleTime: 60_000,
    retry: false,
    refetchOnWindowFocus: false,
  });
}

/** When a row was given, by which batch, and how far that brought the inputs. */
export function MadeIn({ made, upTo = false }: { made: MadeInBatch; upTo?: boolean }) {
  return (
    <p>
      {upTo ? `Read up to batch ${made.last}` : batchWords(made)}
      {made.at === null ? null : (
        <>
          , committed <Instant ticks={Math.floor(made.at / 1_000_000) * 1_000_000} />
        </>
      )}
      {made.repaired_by === null ? "" : `, a repair by ${made.repaired_by}`}. {movedWords(made).join(" ")}
    </p>
  );
}

/** Lets more rows be read again, where that is what an answer lacks. */
function More({ most, onMore }: { most: number; onMore: (most: number) => void }) {
  const [typed, setTyped] = useState(String(most));
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onMore(Number(typed));
      }}
    >
      <MostRows value={typed} onChange={setTyped} />
      <p>
        <button type="submit" className="button" disabled={Number(typed) === most}>
          Read again
        </button>
      </p>
    </form>
  );
}

interface AnswerProps {
  binding: string;
  asked: WhyAsked;
  children: (shown: WhyShown) => ReactNode;
}

/** Asks, and shows what was found or why nothing can be read again. */
export function Answer({ binding, asked, children }: AnswerProps) {
  const [most, setMost] = useState(USUAL_AGAIN);
  const answer = useWhy(binding, asked, most);
  if (answer.isLoading) return <Waiting>Reading what the binding has read again, and running the query on it…</Waiting>;
  if (answer.data === null || answer.data === undefined)
    return <ErrorNote error={answer.error} onRetry={() => void answer.refetch()} />;
  const shown = answer.data;
  return (
    <>
      {children(shown)}
      {shown.unread === null ? null : (
        <Notice tone="unknown">
          <p>
            <strong>No rows can be shown.</strong> {shown.unread}
          </p>
        </Notice>
      )}
      {shown.notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {shown.unread === null ? (
        <p className="quiet">Read again: {counted(shown.read_again, "row")} of the input. Nothing of it is stored.</p>
      ) : null}
      {shown.unread !== null || shown.notes.length > 0 ? <More most={most} onMore={setMost} /> : null}
    </>
  );
}
