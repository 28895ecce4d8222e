/** A function of the Python programs: the wait that an answer asks for. They import `email.utils` and `time`. */
export const RETRY_AFTER = `def retry_after(error):
    """Return the seconds to wait before another try, as the server asks for: a number or a date."""
    text = error.headers.get("Retry-After", "5")
    date = None if text.isdigit() else email.utils.parsedate_tz(text)
    seconds = email.utils.mktime_tz(date) - time.time() if date else int(text) if text.isdigit() else 5
    return min(max(seconds, 1), 300)`;
