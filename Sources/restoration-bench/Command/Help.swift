/// What `--help` says.
enum Help {
  static var text: String {
    """
    restoration-bench [--only OPERATION,...] [--size SIZE,...] [--format text|json] [--check]
    restoration-bench --profile OPERATION [--contender NAME] [--size SIZE] [--repeat COUNT]

    Times this package against what a user would pick instead. Contenders take turns in one process, and what only
    computes is timed by the processor's clock; still, compare ratios, not times.

    --only OPERATION,...  measures these operations only
    --size SIZE,...       on these workloads only: small, medium, large (large takes many minutes)
    --format text|json    a table, or JSON with times in nanoseconds
    --check               also holds the figures against the goals; exits 1 if a floor is missed
    --profile OPERATION   does nothing but repeat the operation, for callgrind or perf
    --contender NAME      by whom; this package if it is not given
    --repeat COUNT        how often

    operations

    """ + TextTable(rows: Operation.allCases.map { ["", $0.rawValue, $0.summary] }).text
  }
}
