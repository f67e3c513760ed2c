extension RandomApp {
  /// What the rules say that the engine must do.
  public func runModel() -> EngineOutcome { ModelEngine.run(self) }
}
