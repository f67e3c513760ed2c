extension RandomApp {
  /// Returns the outcome that the rules require of the engine.
  public func runModel() -> EngineOutcome { ModelEngine.run(self) }
}
