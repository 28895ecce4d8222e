/** Bindings and their runs. */
export { BindingPage } from "./BindingPage";
export { RunsPage } from "./RunsPage";
