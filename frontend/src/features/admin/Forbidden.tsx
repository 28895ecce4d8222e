import { Notice } from "../../components/notices/Notices";

/** Replaces a page that the user's role may not see. */
export function Forbidden({ reason }: { reason: string | null }) {
  if (reason === null) return null;
  return (
    <Notice tone="unknown">
      <p>{reason}</p>
    </Notice>
  );
}
