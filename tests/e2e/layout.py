"""What does not fit on a page: what sticks out of it, and buttons that are cut off."""

from playwright.sync_api import Page

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))"
"""What React draws for another width is drawn in the first frame after it, and laid out in the second."""
MISFITS = """() => {
  const words = (element) => `${element.tagName.toLowerCase()} "${element.textContent.trim().slice(0, 40)}"`;
  const scrolls = (element) => element !== null && (
    ["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const shown = [...document.querySelectorAll("button, a.button, input, select, h1, header.bar > *")]
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1);
  const out = shown.filter((element) => !scrolls(element) && element.getBoundingClientRect().right > innerWidth + 1);
  const cut = shown.filter((element) => element.matches("button, a.button") && !element.querySelector(".clipped")
    && element.scrollWidth > element.clientWidth + 2);
  const bar = document.querySelector("header.bar");
  const tall = bar !== null && bar.getBoundingClientRect().height > 60;
  const root = document.documentElement;
  return [
    ...(root.scrollWidth > innerWidth ? [`the page is ${root.scrollWidth} wide in ${innerWidth}`] : []),
    ...(tall ? ["the header takes more than one row"] : []),
    ...out.map((element) => `${words(element)} sticks out`),
    ...cut.map((element) => `${words(element)} is cut off`),
  ];
}"""


def misfits(page: Page) -> list[str]:
    """Return what does not fit on a telephone, and then in a window; the page is left wide."""
    found = []
    for size in (NARROW, WIDE):
        page.set_viewport_size({"width": size["width"], "height": size["height"]})
        page.evaluate(TWO_FRAMES)
        found += [f"{size['width']}: {each}" for each in page.evaluate(MISFITS)]
    return found
