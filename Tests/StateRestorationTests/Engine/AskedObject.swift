import StateRestoration

/// An object that counts how often objects are asked for their identifiers and children: the work of an engine that an app
/// can see.
final class AskedObject: Restorable {
  /// The number of questions to all objects that share it.
  final class Questions {
    var count = 0
  }

  let identifier: String
  let questions: Questions
  var children: [AskedObject] = []
  @Restored var number = 0

  init(_ identifier: String, _ questions: Questions) {
    self.identifier = identifier
    self.questions = questions
  }

  var restorationIdentifier: String? {
    questions.count += 1
    return identifier
  }

  var restorationChildren: [any Restorable] {
    questions.count += 1
    return children
  }
}
