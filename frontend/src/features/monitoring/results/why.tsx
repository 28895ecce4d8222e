import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { Instant } from "../../../components/values/Instant";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { counted } from "../../../lib/numbers";
import type { MadeInBatch, WhyResponse } from "../../../model/api";
import { batchWords, movedWords, type WhyRequest, whyBody } from "../../../model/results/why";

/** Load the explanation; cached, because it is expensive to compute. */
function useWhy(binding: string, asked: WhyRequest) {
  const slug = useSlug();
  const body = whyBody(binding, asked);
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

/** The batch that emitted a row, its time, and how far it advanced the inputs. */
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

interface AnswerProps {
  binding: string;
  asked: WhyRequest;
  children: (shown: WhyResponse) => ReactNode;
}

/** Load the explanation and show it, or why the rows can't be read again. */
export function Answer({ binding, asked, children }: AnswerProps) {
  const answer = useWhy(binding, asked);
  if (answer.isLoading) return <Waiting>Reading the binding's input again and running the query on it…</Waiting>;
  if (answer.data === null || answer.data === undefined)
    return <ErrorNote error={answer.error} onRetry={() => void answer.refetch()} />;
  const shown = answer.data;
  return (
    <>
      {children(shown)}
      {shown.unread === null ? null : (
        <Notice tone="unknown">
          <p>
            <strong>The rows can't be shown.</strong> {shown.unread}
          </p>
        </Notice>
      )}
      {shown.notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {shown.unread === null ? (
        <p className="quiet">Read again: {counted(shown.read_again, "input row")}. Nothing was stored.</p>
      ) : null}
    </>
  );
}
