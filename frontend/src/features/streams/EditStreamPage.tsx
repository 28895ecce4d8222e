import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { UseList, useUses } from "../../components/dependencies/Uses";
import { Stale } from "../../components/forms/Stale";
import { ErrorNote, Notice, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { useSlug } from "../../lib/account/session";
import { useInputKinds } from "../../lib/resources/adapterKinds";
import type { AdapterKind, StreamBody, StreamResponse } from "../../model/api";
import { formFields } from "../../model/forms/schemaForm";
import { formOf, optionValues } from "../../model/stream/streamForm";
import { useReplaceStream, useStream } from "./requests";
import { StreamEditor, type TypedStream } from "./StreamEditor";

function typedOf(stream: StreamResponse, kinds: readonly AdapterKind[]): TypedStream {
  const kind = kinds.find((each) => each.kind === stream.adapter.kind);
  const fields = kind === undefined ? [] : formFields(kind.options_schema);
  const options = optionValues(fields, stream.adapter.options);
  return { form: formOf(stream), options, upon: stream.revision, begun: textOf(stream) };
}

function textOf({ name, definition, adapter }: StreamResponse): string {
  return JSON.stringify({ name, definition, adapter }, null, 2);
}

function ChangeEffects({ stream }: { stream: StreamResponse }) {
  const uses = useUses("stream", stream.id);
  if (uses.data === undefined || uses.data.length === 0) return null;
  return (
    <Notice tone="busy">
      <p>
        Changes apply to these from their next start; active runs keep their settings. If you rename the stream,
        bindings follow automatically, and each query that names it gets a new version with the new name; older versions
        keep the old one.
      </p>
      <UseList uses={uses.data} />
    </Notice>
  );
}

interface Sent {
  body: StreamBody;
  typed: TypedStream;
  done: () => void;
}

interface EditProps {
  stream: StreamResponse;
  kinds: readonly AdapterKind[];
  onReload: () => void;
}

function Edit({ stream, kinds, onReload }: EditProps) {
  const slug = useSlug();
  const navigate = useNavigate();
  const saving = useReplaceStream(stream.id);
  const [begun] = useState(stream);
  const [sent, setSent] = useState<Sent | null>(null);
  const send = ({ body, typed, done }: Sent, upon: string) => {
    setSent({ body, typed, done });
    saving.mutate(
      { ...body, upon },
      {
        onSuccess: ({ warnings }) => {
          done();
          void navigate(`/t/${slug}/streams/${stream.id}`, { state: { warnings } });
        },
      },
    );
  };
  const reload = () => {
    sent?.done();
    onReload();
  };
  return (
    <>
      <ChangeEffects stream={stream} />
      <StreamEditor
        kinds={kinds}
        object={`stream ${stream.id}`}
        stream={stream.id}
        taken={[]}
        initial={typedOf(begun, kinds)}
        words={["Save stream", "Saving…"]}
        saving={saving}
        onSave={(body, typed, done) => send({ body, typed, done }, typed.upon)}
      />
      <Stale
        error={saving.error}
        begun={sent?.typed.begun ?? ""}
        now={textOf(stream)}
        onReload={reload}
        onOverwrite={() => (sent === null ? undefined : send(sent, stream.revision))}
      />
    </>
  );
}

/** The form that changes and renames a stream. */
export function EditStreamPage() {
  const { stream: id = "" } = useParams();
  const slug = useSlug();
  const stream = useStream(id);
  const kinds = useInputKinds();
  const [loaded, setLoaded] = useState(0);
  const reload = () => void stream.refetch().then(() => setLoaded((times) => times + 1));
  if (stream.isError) return <ErrorNote error={stream.error} onRetry={() => void stream.refetch()} />;
  if (stream.isPending || kinds.isPending) return <Waiting>Loading the stream…</Waiting>;
  return (
    <>
      <PageHead
        title={`Edit ${stream.data.name}`}
        crumb={{ to: `/t/${slug}/streams/${id}`, label: stream.data.name }}
      />
      <ErrorNote error={kinds.error} onRetry={() => void kinds.refetch()} />
      {kinds.data === undefined ? null : (
        <Edit key={loaded} stream={stream.data} kinds={kinds.data} onReload={reload} />
      )}
    </>
  );
}
