import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect } from "react";
import { Navigate, useSearchParams } from "react-router";
import { ErrorNote } from "../components/Notices";
import { ME, signIn, useMe } from "../lib/session";
import { Mark } from "./Shell";

/** Only an address of ours: anything else would send a user who just signed in to a stranger. */
export function safeNext(next: string | null): string {
  return next?.startsWith("/") && !/^\/[/\\]/.test(next) ? next : "/";
}

export function SignIn() {
  const [search] = useSearchParams();
  const queries = useQueryClient();
  const me = useMe();
  const signing = useMutation({
    mutationFn: ({ email, password }: { email: string; password: string }) => signIn(email, password),
    onSuccess: () => queries.invalidateQueries({ queryKey: ME }),
  });
  useEffect(() => {
    document.title = "Sign in · Punctual";
  }, []);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    signing.mutate({ email: String(form.get("email") ?? ""), password: String(form.get("password") ?? "") });
  };

  if (me.data) return <Navigate to={safeNext(search.get("next"))} replace />;
  return (
    <main className="sign-in">
      <form className="panel stack" onSubmit={submit}>
        <p className="brand">
          <Mark /> Punctual
        </p>
        <h1>Sign in</h1>
        <div className="field">
          <label htmlFor="email">E-mail address</label>
          <input id="email" name="email" type="email" autoComplete="username" required />
        </div>
        <div className="field">
          <label htmlFor="password">Password</label>
          <input id="password" name="password" type="password" autoComplete="current-password" required />
        </div>
        <ErrorNote error={signing.error} />
        <button type="submit" className="button" data-kind="primary" disabled={signing.isPending}>
          {signing.isPending ? "Signing in…" : "Sign in"}
        </button>
        <p className="quiet small">Accounts are made by the people who run this installation.</p>
      </form>
    </main>
  );
}
