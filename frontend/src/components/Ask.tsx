import type { ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";

interface AskProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** For tables and drawings, which need more room than sentences. */
  wide?: boolean;
  children: ReactNode;
}

/** A dialog that keeps the focus inside and gives it back; Escape closes it. */
export function Ask({ title, open, onClose, wide = false, children }: AskProps) {
  return (
    <ModalOverlay
      className="dialog-ground"
      isOpen={open}
      isDismissable
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Modal className={wide ? "dialog wide" : "dialog"}>
        <Dialog className="stack">
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
