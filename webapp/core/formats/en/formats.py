"""Formats of dates and times in Django's templates; times are in UTC, as everywhere."""

DATE_FORMAT = "Y-m-d"
TIME_FORMAT = r"H:i:s\Z"
DATETIME_FORMAT = r"Y-m-d H:i:s\Z"
SHORT_DATE_FORMAT = DATE_FORMAT
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
