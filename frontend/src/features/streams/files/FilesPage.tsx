import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { FaultList } from "../../../components/notices/FaultList";
import { Empty, ErrorNote, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { IsoInstant } from "../../../components/values/Instant";
import { useReason, useSlug } from "../../../lib/account/session";
import { bytesWords } from "../../../messages/organisation/quotas";
import type { FileResponse, UploadResponse } from "../../../model/api";
import { Records } from "../inference/Records";
import { useProposal } from "../inference/useProposal";
import { FileUpload } from "./FileUpload";
import { useCancelUpload, useDeleteFile, useFiles } from "./requests";

function Readers({ file }: { file: FileResponse }) {
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

type Module = NonNullable<FileResponse["module"]>;

/** A module in WebAssembly: the hash that a query writes after MODULE, and the functions that it exports. */
function ModuleExports({ module }: { module: Module }) {
  return (
    <div className="stack tight">
      <span>
        Module <code>{module.hash}</code>
      </span>
      <span className="quiet small">
        Exports{" "}
        {module.functions
          .map(({ name, parameters, results }) => `${name}(${parameters.join(", ")}) → ${results.join(", ")}`)
          .join("; ") || "no functions"}
      </span>
    </div>
  );
}

function Preview({ file }: { file: FileResponse }) {
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
      <ModalDialog title={file.path} open={open} wide onClose={() => setOpen(false)}>
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
      </ModalDialog>
    </>
  );
}

function Download({ file }: { file: FileResponse }) {
  const slug = useSlug();
  return (
    <a
      className="button"
      href={`/api/t/${slug}/files/content/?${new URLSearchParams({ path: file.path })}`}
      aria-label={`Download ${file.path}`}
      download
    >
      Download
    </a>
  );
}

function Delete({ file }: { file: FileResponse }) {
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
      <ModalDialog title={`Delete ${file.path}?`} open={asking} onClose={() => setAsking(false)}>
        {read ? (
          <>
            <p>These streams read it. A run that needs its rows will stop with an error:</p>
            <Readers file={file} />
          </>
        ) : (
          <p>No stream reads it. This can't be undone.</p>
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
      </ModalDialog>
    </>
  );
}

function FileTable({ files }: { files: readonly FileResponse[] }) {
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
              <span className="visually-hidden">Actions</span>
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
              <td>{file.module === null ? <Readers file={file} /> : <ModuleExports module={file.module} />}</td>
              <td>
                <span className="row">
                  {file.module === null ? <Preview file={file} /> : null}
                  <Download file={file} />
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

function Unfinished({ uploads }: { uploads: readonly UploadResponse[] }) {
  const reason = useReason("edit");
  const cancelling = useCancelUpload();
  if (uploads.length === 0) return null;
  return (
    <Panel title="Unfinished uploads" note="To continue an upload, choose the same file again">
      <ErrorNote error={cancelling.error} />
      <ul className="stack tight">
        {uploads.map((upload) => (
          <li key={upload.id} className="row">
            <span>
              <strong>{upload.name}</strong>{" "}
              <span className="quiet">
                {bytesWords(upload.offset)} of {bytesWords(upload.size)}, started by {upload.by}
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

/** The organisation's files: upload, preview, replace, delete. */
export function FilesPage() {
  const slug = useSlug();
  const navigate = useNavigate();
  const files = useFiles();
  const { data } = files;
  const note = data === undefined ? undefined : `${bytesWords(data.used)} of ${bytesWords(data.limit)} used`;
  return (
    <>
      <PageHead title="Files" crumb={{ to: `/t/${slug}/streams`, label: "Streams" }} />
      <ErrorNote error={files.error} onRetry={() => void files.refetch()} />
      <Panel title="Upload a file" note="A file with the same name can be replaced">
        <FileUpload onBrought={() => void navigate(`/t/${slug}/streams/files`)} />
      </Panel>
      {data === undefined ? <Waiting>Loading the files…</Waiting> : <Unfinished uploads={data.uploads} />}
      {data === undefined ? null : (
        <Panel title="Files for streams and functions" note={note} flush>
          {data.files.length === 0 ? (
            <Empty title="No files yet">
              <p>Upload one above, then create a stream from it.</p>
            </Empty>
          ) : (
            <FileTable files={data.files} />
          )}
          {data.count > data.files.length ? (
            <p className="inset">Showing only the first {data.files.length}, by name.</p>
          ) : null}
        </Panel>
      )}
    </>
  );
}
