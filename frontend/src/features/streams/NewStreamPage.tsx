import { useNavigate } from "react-router";
import { ErrorNote, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { useSlug } from "../../lib/account/session";
import { useInputKinds } from "../../lib/resources/adapterKinds";
import type { AdapterKind } from "../../model/api";
import { EMPTY_FORM } from "../../model/stream/streamForm";
import { useCreateStream, useStreams } from "./requests";
import { StreamEditor } from "./StreamEditor";

/** The most common kind. */
const FIRST = "file";

function CreateForm({ kinds, taken }: { kinds: readonly AdapterKind[]; taken: readonly string[] }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const creating = useCreateStream();
  const adapter = kinds.find(({ kind }) => kind === FIRST)?.kind ?? kinds[0]?.kind ?? "";
  return (
    <StreamEditor
      kinds={kinds}
      object="new stream"
      stream={null}
      taken={taken}
      initial={{ form: { ...EMPTY_FORM, adapter }, options: {}, upon: "", begun: "" }}
      words={["Create stream", "Creating…"]}
      saving={creating}
      onSave={(body, _, done) =>
        creating.mutate(body, {
          onSuccess: (stream) => {
            done();
            void navigate(`/t/${slug}/streams/${stream.id}`, { state: { warnings: stream.warnings } });
          },
        })
      }
    />
  );
}

/** A form for a new stream. */
export function NewStreamPage() {
  const slug = useSlug();
  const kinds = useInputKinds();
  const streams = useStreams();
  return (
    <>
      <PageHead title="New stream" crumb={{ to: `/t/${slug}/streams`, label: "Streams" }} />
      <ErrorNote error={kinds.error} onRetry={() => void kinds.refetch()} />
      {kinds.isPending ? <Waiting>Loading the kinds of adapter…</Waiting> : null}
      {kinds.data === undefined ? null : (
        <CreateForm kinds={kinds.data} taken={(streams.data ?? []).map(({ name }) => name)} />
      )}
    </>
  );
}
