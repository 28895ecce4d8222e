import type { ReactNode } from "react";
import { Notice } from "../../components/notices/Notices";
import { useSignInOptions } from "./requests";

/** A notice that this installation has no mail server; renders nothing if it has one. */
export function NoMailServer({ children }: { children: ReactNode }) {
  if (useSignInOptions().data?.mail !== false) return null;
  return (
    <Notice tone="unknown">
      <p>This installation has no mail server. {children}</p>
    </Notice>
  );
}
