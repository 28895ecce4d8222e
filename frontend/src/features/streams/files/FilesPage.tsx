import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { Ask } from "../../../components/Ask";
import { FaultList } from "../../../components/FaultList";
import { IsoInstant } from "../../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../../components/Notices";
import { PageHead } from "../../../components/PageHead";
import { Panel } from "../../../components/Panel";
import { ReasonedButton } from "../../../components/Reasoned";
import { Scroll } from "../../../components/Scroll";
import { useReason, useSlug } from "../../../lib/session";
import type { FileShown, UploadShown } from "../../../model/api";
import { bytesWords } from "../../../model/quotas";
import { Records } from "../found/Records";
import { useProposal } from "../found/useProposal";
import { BringFile } from "./BringFile";
import { useCancelUpload, useDeleteFile, useFiles } from "./requests";

function Readers({ file }: { file: FileShown }) {
  const slug = useSlug();
  if (file.readers.length === 0) return <span className="quiet">nothing yet</span>;
  return (
    <ul className="stack tight">
      {file.readers.map(({ id, name }) => (
        <li key={id}>
          <Link to={`/t/${slug}/streams/${id}`}>{name}</Link>
        </li>
      ))}
    </ul>
  );
}

function Preview({ file }: { file: FileShown }) {
  const looking = useProposal();
  const [open, setOpen] = useState(false);
  const show = () => {
    setOpen(true);
    looking.mutate({ kind: "file", options: { path: file.path }, stream: null });
  };
  const proposal = looking.data?.proposal ?? null;
  return (
    <>
      <button type="button" className="button" aria-label={`Preview ${file.path}`} onClick={show}>
        Preview
      </button>
      <Ask title={file.path} open={open} wide onClose={() => setOpen(false)}>
        {looking.isPending ? <Waiting>Reading the first rows…</Waiting> : null}
        <ErrorNote error={looking.error} onRetry={show} />
        <FaultList faults={looking.data?.faults ?? []} />
        {proposal?.notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
        {proposal === null ? null : <Records proposal={proposal} times={[]} />}
        <p>
          <button type="button" className="button" onClick={() => setOpen(false)}>
            Close
          </button>
        </p>
      </Ask>
    </>
  );
}

function Delete({ file }: { file: FileShown }) {
  const reason = useReason("edit");
  const deleting = useDeleteFile();
  const [asking, setAsking] = useState(false);
  const read = file.readers.length > 0;
  const remove = () => deleting.mutate({ path: file.path, even: read }, { onSuccess: () => setAsking(false) });
  return (
    <>
      <ReasonedButton reason={reason} kind="danger" aria-label={`Delete ${file.path}…`} onClick={() => setAsking(true)}>
        Delete…
      </ReasonedButton>
      <Ask title={`Delete ${file.path}?`} open={asking} onClose={() => setAsking(false)}>
        {read ? (
          <>
            <p>These streams read it; a run that needs its rows ends with a sentence about it:</p>
            <Readers file={file} />
          </>
        ) : (
          <p>No stream reads it. It cannot be brought back from here.</p>
        )}
        <ErrorNote error={deleting.error} />
        <p className="row">
          <button type="button" className="button" data-kind="danger" onClick={remove}>
            {deleting.isPending ? "Deleting…" : "Delete"}
          </button>
          <button type="button" className="button" onClick={() => setAsking(false)}>
            Keep it
          </button>
        </p>
      </Ask>
    </>
  );
}

function FileTable({ files }: { files: readonly FileShown[] }) {
  return (
    <Scroll label="Table of files">
      <table>
        <thead>
          <tr>
            <th>File</th>
            <th className="num">Size</th>
            <th>Written (UTC)</th>
            <th>Read by</th>
            <th>
              <span className="visually-hidden">What can be done</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <tr key={file.path}>
              <th scope="row">{file.path}</th>
              <td className="num">{bytesWords(file.size)}</td>
              <td>
                <IsoInstant iso={file.modified_at} />
              </td>
              <td>
                <Readers file={file} />
              </td>
              <td>
                <span className="row">
                  <Preview file={file} />
                  <Delete file={file} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Unfinished({ uploads }: { uploads: readonly UploadShown[] }) {
  const reason = useReason("edit");
  const cancelling = useCancelUpload();
  if (uploads.length === 0) return null;
  return (
    <Panel title="On their way" note="Choose the same file again to go on where it stopped.">
      <ErrorNote error={cancelling.error} />
      <ul className="stack tight">
        {uploads.map((upload) => (
          <li key={upload.id} className="row">
            <span>
              <strong>{upload.name}</strong>{" "}
              <span className="quiet">
                {bytesWords(upload.offset)} of {bytesWords(upload.size)}, begun by {upload.by}
              </span>
            </span>
            <ReasonedButton reason={reason} onClick={() => cancelling.mutate(upload.id)}>
              Cancel
            </ReasonedButton>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The files that the streams of the organisation can read: brought, previewed, replaced, deleted. */
export function FilesPage() {
  const slug = useSlug();
  const navigate = useNavigate();
  const files = useFiles();
  const { data } = files;
  const note = data === undefined ? undefined : `${bytesWords(data.used)} of ${bytesWords(data.limit)} are used.`;
  return (
    <>
      <PageHead title="Files" crumb={{ to: `/t/${slug}/streams`, label: "Streams" }} />
      <ErrorNote error={files.error} onRetry={() => void files.refetch()} />
      <Panel title="Bring a file" note="One that is here under the same name can be replaced.">
        <BringFile onBrought={() => void navigate(`/t/${slug}/streams/files`)} />
      </Panel>
      {data === undefined ? <Waiting>Loading the files…</Waiting> : <Unfinished uploads={data.uploads} />}
      {data === undefined ? null : (
        <Panel title="Files that streams can read" note={note} flush>
          {data.files.length === 0 ? (
            <Empty title="No files yet.">
              <p>Bring one above, then make a stream of it.</p>
            </Empty>
          ) : (
            <FileTable files={data.files} />
          )}
          {data.count > data.files.length ? (
            <p className="inset">Only the first {data.files.length} are shown, by name.</p>
          ) : null}
        </Panel>
      )}
    </>
  );
}
