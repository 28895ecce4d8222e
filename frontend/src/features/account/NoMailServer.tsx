import type { ReactNode } from "react";
import { Notice } from "../../components/Notices";
import { useSignInOptions } from "./requests";

/** Says so where this installation has no mail server; nothing where it has one. */
export function NoMailServer({ children }: { children: ReactNode }) {
  if (useSignInOptions().data?.mail !== false) return null;
  return (
    <Notice tone="unknown">
      <p>This installation has no mail server. {children}</p>
    </Notice>
  );
}
