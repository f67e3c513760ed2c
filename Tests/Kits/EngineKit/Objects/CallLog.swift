/// The calls into an app, in order.
public final class CallLog {
  /// The calls, one line each.
  public private(set) var lines: [String] = []

  /// Creates an empty log.
  public init() {}

  /// Records a call.
  public func note(_ line: String) {
    lines.append(line)
  }

  /// Removes all lines.
  public func clear() {
    lines = []
  }
}
