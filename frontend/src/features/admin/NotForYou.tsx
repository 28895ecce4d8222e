import { Notice } from "../../components/Notices";

/** In place of what my role may not even see. */
export function NotForYou({ reason }: { reason: string | null }) {
  if (reason === null) return null;
  return (
    <Notice tone="unknown">
      <p>{reason}</p>
    </Notice>
  );
}
