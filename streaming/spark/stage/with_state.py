"""`transformWithState` without pandas.

PySpark 4.3 requires pandas for every such operator, but its Row variant never uses it; pandas 3 is not fully
supported by 4.3, so pandas stays out (ENGINE.md). This does what `GroupedData.transformWithState` does after that
check.
"""

from typing import Any, cast

from pyspark.sql import DataFrame, GroupedData
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.streaming.stateful_processor_util import TransformWithStateInPandasUdfUtils
from pyspark.sql.types import StructType
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

_TIME_MODE = "None"


def transform_with_state(
    rows: DataFrame, keys: list[str], processor: StatefulProcessor, schema: StructType
) -> DataFrame:
    """Return `rows`, grouped by `keys`, through `processor`, which yields Rows of `schema`: append mode, no timers."""
    grouped: GroupedData = rows.groupBy(*keys)
    function = TransformWithStateInPandasUdfUtils(processor, _TIME_MODE).transformWithStateUDF
    made = UserDefinedFunction(
        cast(Any, function), returnType=schema, evalType=PythonEvalType.SQL_TRANSFORM_WITH_STATE_PYTHON_ROW_UDF
    )
    column: Any = made(*[rows[name] for name in rows.columns])
    session: Any = rows.sparkSession
    java_schema = session._jsparkSession.parseDataType(schema.json())
    java_grouped: Any = cast(Any, grouped)._jgd
    java = java_grouped.transformWithStateInPySpark(column._jc, java_schema, "Append", _TIME_MODE, None, "")
    return DataFrame(java, session)
