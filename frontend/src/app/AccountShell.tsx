import { AccountLayout } from "../features/account";
import { Frame } from "./Frame";
import { SignedIn } from "./SignedIn";

/** The frame of the pages of one's own account, outside of organisations. */
export function AccountShell() {
  return (
    <SignedIn>
      {(me) => (
        <Frame me={me} slug={null}>
          <AccountLayout />
        </Frame>
      )}
    </SignedIn>
  );
}
