/** Bindings and their runs. */
export { RunsPage } from "./RunsPage";
