"""One definition of each picture of numbers: an axis, rows with bars or dots, a step curve with its band."""
