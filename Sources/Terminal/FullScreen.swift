/// A full-screen program: draws its screen after each event, until a key ends it or the terminal is gone.
///
///     let screen = FullScreen(on: terminal) { columns, rows in grid(columns, rows) }
///     await screen.run { key in handle(key) }
@MainActor
public final class FullScreen {
  private let terminal: Terminal
  private let grid: (_ columns: Int, _ rows: Int) -> CellGrid
  private let usesMouse: Bool
  private var painter = ScreenPainter()

  /// Creates the program; `grid` draws the whole screen for a size of the terminal.
  public init(on terminal: Terminal, usesMouse: Bool = false, drawing grid: @escaping (_ columns: Int, _ rows: Int) -> CellGrid) {
    self.terminal = terminal
    self.usesMouse = usesMouse
    self.grid = grid
  }

  /// Sends what changed on the screen since it was last drawn.
  public func update() {
    let size = terminal.size
    terminal.write(painter.sequence(for: grid(size.columns, size.rows)))
  }

  /// Takes the terminal and draws everything: at the start, and when a stopped process continues.
  public func enter() {
    terminal.enter(usesMouse: usesMouse)
    painter.forget()
    update()
  }

  /// Handles the events of the terminal until the end, and restores the previous screen.
  ///
  /// Ctrl-L draws everything again.
  ///
  /// - Parameter handle: Handles a key; returns whether the program continues.
  public func run(handling handle: (Key) -> Bool) async {
    enter()
    events: for await event in terminal.events {
      switch event {
      case .end: break events
      case .key(.control("l")): painter.forget()
      case .key(let key): if !handle(key) { break events }
      case .resize: painter.forget()
      }
      update()
    }
    terminal.leave()
  }
}
