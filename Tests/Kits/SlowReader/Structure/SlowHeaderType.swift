/// The allowed types of a header value (R-3.3-2).
enum SlowHeaderType {
  case string
  case date
  /// The types allowed for unregistered keys: bool, integer, float64, string, data, date, uuid and url.
  case anyScalar

  func allows(_ tag: SlowTag) -> Bool {
    switch (self, tag) {
    case (.string, .longString), (.string, .shortString): true
    case (.date, .date): true
    case (.anyScalar, .bool), (.anyScalar, .positiveInteger), (.anyScalar, .negativeInteger), (.anyScalar, .smallInteger): true
    case (.anyScalar, .float64), (.anyScalar, .longString), (.anyScalar, .shortString), (.anyScalar, .data): true
    case (.anyScalar, .date), (.anyScalar, .uuid), (.anyScalar, .url): true
    default: false
    }
  }
}
