/** Streams: the list, one stream, and a new one. */
export { EditStreamPage } from "./EditStreamPage";
export { FilesPage } from "./files/FilesPage";
export { NewStreamPage } from "./NewStreamPage";
export { StreamPage } from "./StreamPage";
export { StreamsPage } from "./StreamsPage";
