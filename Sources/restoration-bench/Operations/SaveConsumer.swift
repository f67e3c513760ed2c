import Foundation

/// Takes over finished bytes as a store does: the caller hands them over and goes on, a task of its own receives them.
final class SaveConsumer {
  private let continuation: AsyncStream<Data>.Continuation
  private let task: Task<Void, Never>

  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self, bufferingPolicy: .bufferingNewest(1))
    self.continuation = continuation
    task = Task.detached { for await data in stream { consume(data) } }
  }

  deinit {
    continuation.finish()
    task.cancel()
  }

  func take(_ data: Data) {
    continuation.yield(data)
  }
}
