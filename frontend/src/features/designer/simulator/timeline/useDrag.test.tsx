// @vitest-environment happy-dom
import { act, cleanup, renderHook } from "@testing-library/react";
import type { PointerEvent } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { useDrag } from "./useDrag";

afterEach(cleanup);

function pointerAt(clientX: number, clientY = 0): PointerEvent<Element> {
  const event = { button: 0, pointerId: 1, clientX, clientY, stopPropagation: () => {} };
  return { ...event, currentTarget: { setPointerCapture: () => {} } } as unknown as PointerEvent<Element>;
}

function watched() {
  const heard = { onPress: vi.fn(), onDrop: vi.fn() };
  return { ...heard, ...renderHook(() => useDrag(heard)) };
}

test("a drag ends where it was released, even without a render since the press", () => {
  const { result, onPress, onDrop } = watched();
  const { onPointerDown, onPointerMove, onPointerUp } = result.current.handlers;
  act(() => {
    onPointerDown(pointerAt(10));
    onPointerMove(pointerAt(30));
    onPointerMove(pointerAt(90));
    onPointerUp(pointerAt(100, 5));
  });
  expect(onDrop.mock.calls).toEqual([[{ dx: 90, dy: 5 }]]);
  expect(onPress).not.toHaveBeenCalled();
  expect(result.current.dragged).toBeNull();
});

test("a slightly moving press is a press, and a drag that returns is a drag", () => {
  const { result, onPress, onDrop } = watched();
  act(() => result.current.handlers.onPointerDown(pointerAt(10)));
  act(() => result.current.handlers.onPointerMove(pointerAt(12)));
  act(() => result.current.handlers.onPointerUp(pointerAt(12)));
  expect(onPress).toHaveBeenCalledOnce();
  act(() => result.current.handlers.onPointerDown(pointerAt(10)));
  act(() => result.current.handlers.onPointerMove(pointerAt(50)));
  expect(result.current.dragged).toEqual({ dx: 40, dy: 0 });
  act(() => result.current.handlers.onPointerUp(pointerAt(10)));
  expect(onDrop.mock.calls).toEqual([[{ dx: 0, dy: 0 }]]);
  expect(onPress).toHaveBeenCalledOnce();
});

test("Escape cancels a drag: the item returns, and releasing it changes nothing", () => {
  const { result, onPress, onDrop } = watched();
  act(() => result.current.handlers.onPointerDown(pointerAt(10)));
  act(() => result.current.handlers.onPointerMove(pointerAt(50)));
  act(() => {
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  });
  expect(result.current.dragged).toBeNull();
  act(() => result.current.handlers.onPointerUp(pointerAt(60)));
  expect(onDrop).not.toHaveBeenCalled();
  expect(onPress).not.toHaveBeenCalled();
});
