extension AppleFixture {
  // MARK: UIKit

  /// Returns an archive with named values.
  private static func nested(_ build: (inout RawKeyedArchive) -> Void) -> PlainPropertyList {
    var archive = RawKeyedArchive()
    build(&archive)
    return .data(archive.bytes)
  }

  private static func reference(_ path: String, in archive: inout RawKeyedArchive) -> PlainPropertyList {
    let text = archive.add(.string(path))
    return archive.add("_UIObjectIdentifierPathProxy", [("kObjectIdentifierPathProxyIdentifierPathKey", text)])
  }

  private static func uiKit(_ name: String, losses: Int = 0, _ reason: String, _ build: (inout RawKeyedArchive) -> Void) -> AppleFixture {
    var root = RawKeyedArchive()
    build(&root)
    return valid("uikit/\(name)", root.bytes, "uikit-state", losses: losses, reason)
  }

  private static func addHeader(to root: inout RawKeyedArchive, idiom: Int128 = 1, major: Int128 = 2) {
    root.top += [
      ("UIApplicationStateRestorationBundleVersion", root.add(.string("42"))),
      ("UIApplicationStateRestorationSystemVersion", root.add(.string("17.2"))),
      ("UIApplicationStateRestorationTimestamp", root.add("NSDate", [("NS.time", .number(700_000_000.25))])),
      ("UIApplicationStateRestorationUserInterfaceIdiom", .integer(idiom)), ("kUIStateRestorationArchiveMajorVersionKey", .integer(major)),
      ("kUIStateRestorationArchiveMinorVersionKey", .integer(1)),
    ]
  }

  private static func addObjects(_ objects: [(String, PlainPropertyList)], to root: inout RawKeyedArchive) {
    let paths = objects.map { root.add(.string($0.0)) }
    root.top.append(("kRootRestorationIdentifiersKey", root.addArray(paths)))
    for (path, data) in objects { root.top.append((path, root.add("NSData", [("NS.data", data)]))) }
  }

  static let uiKitStates: [AppleFixture] = [
    uiKit("valid/every-key", "all levels, keys and references of UIKit") { root in
      addHeader(to: &root)
      addObjects([("Tabs", tabs), ("Tabs/:[0]:/Detail", detail), ("Document", nested { $0.top = [("page", .integer(3))] })], to: &root)
      root.top += [
        ("kViewControllerRestorationClassMapKey", root.addDictionary([("Tabs/:[0]:/Detail", root.add(.string("DetailFactory")))])),
        ("theme", root.add(.string("dark"))), ("current", reference("Tabs/:[0]:/Detail", in: &root)),
      ]
    },
    uiKit("valid/no-objects", "a header and nothing else") { root in
      addHeader(to: &root, idiom: 0)
      addObjects([], to: &root)
    },
    uiKit("valid/other-version-and-idiom", "an unknown version and idiom are no obstacle") { root in
      addHeader(to: &root, idiom: 9, major: 3)
      addObjects([], to: &root)
    },
    uiKit("valid/key-that-looks-like-a-path", "what is an object is said by the list of paths, not by the look of the keys") { root in
      root.top = [("kUIStateRestorationArchiveMajorVersionKey", .integer(2)), ("a/b", nested { $0.top = [("x", .integer(1))] })]
      addObjects([("a", nested { $0.top = [("y", .integer(2))] })], to: &root)
    },
    uiKit("valid/unreadable-object", losses: 1, "the other object is read, and the bytes of this one are kept") { root in
      addHeader(to: &root)
      addObjects([("broken", .data(Array("bplist00 cut off".utf8))), ("sound", nested { $0.top = [("row", .integer(7))] })], to: &root)
    },
    uiKit("valid/unreadable-view", losses: 1, "the controller and its other view are read") { root in
      addHeader(to: &root)
      let controller = nested { archive in
        let good = archive.add(nested { $0.top = [("y", .integer(5))] })
        let views = archive.addDictionary([("bad", archive.add(.data([1, 2, 3]))), ("good", good)])
        archive.top = [("kViewRestorationDataKey", views)]
      }
      addObjects([("c", controller)], to: &root)
    },
    uiKit("valid/path-without-data", losses: 1, "a path of the list that has no archive") { root in
      addHeader(to: &root)
      root.top.append(("kRootRestorationIdentifiersKey", root.addArray([root.add(.string("lost"))])))
    },
    uiKit("valid/path-that-is-none", "an empty component: the object goes below :unplaced") { root in
      addHeader(to: &root)
      addObjects([("a//b", nested { $0.top = [("row", .integer(7))] })], to: &root)
    },
    uiKit("valid/path-twice", losses: 1, "the list names a path twice") { root in
      addHeader(to: &root)
      let path = root.add(.string("a"))
      root.top += [("kRootRestorationIdentifiersKey", root.addArray([path, path])), ("a", nested { $0.top = [("row", .integer(7))] })]
    },
    refused(
      "uikit/hostile/nested-archives-that-overlap", overlapping, "import-work", at: nil,
      "300 objects that share the data of one archive"),
  ]

  private static var tabs: PlainPropertyList {
    nested { archive in
      let children = archive.addArray([archive.add(.string("Tabs/:[0]:/Detail"))])
      archive.top = [
        ("kObjectIsViewControllerKey", .bool(true)), ("kUIStateRestorationClassNameKey", archive.add(.string("UITabBarController"))),
        ("kUIViewControllerChildrenKey", children), ("kTabBarSelectedViewControllerKey", reference("Tabs/:[0]:/Detail", in: &archive)),
      ]
    }
  }

  /// A controller with a view of the same identifier as a child could have, a storyboard and state of its own.
  private static var detail: PlainPropertyList {
    nested { archive in
      let view = nested { view in view.top = [("offset", .number(12.5))] }
      let storyboard = archive.add("UIStoryboard", [("name", archive.add(.string("Main")))])
      let list = archive.addArray([reference("Document", in: &archive)])
      archive.top = [
        ("kObjectIsViewControllerKey", .bool(true)), ("kUIStateRestorationClassNameKey", archive.add(.string("DetailController"))),
        ("kViewControllerViewWasLoadedKey", .bool(true)), ("UIStateRestorationViewControllerStoryboardKey", storyboard),
        ("kViewRestorationDataKey", archive.addDictionary([("scroll", archive.add("NSData", [("NS.data", view)]))])),
        ("title", archive.add(.string("Draft"))), ("documents", list),
      ]
    }
  }

  private static var overlapping: [UInt8] {
    var root = RawKeyedArchive()
    addHeader(to: &root)
    var inner = RawKeyedArchive()
    inner.top = [("list", inner.addArray((0..<2000).map { .integer(Int128($0)) }))]
    let data = root.add(.data(inner.bytes))
    let paths = (0..<300).map { root.add(.string("p\($0)")) }
    root.top.append(("kRootRestorationIdentifiersKey", root.addArray(paths)))
    for index in 0..<300 { root.top.append(("p\(index)", data)) }
    return root.bytes
  }

  // MARK: AppKit

  private static func appKit(
    _ name: String, losses: Int = 0, _ reason: String, _ build: (inout RawSavedState) -> Void
  ) -> AppleFixture {
    var state = RawSavedState()
    build(&state)
    return valid("appkit/valid/\(name)", state.log, windows: state.windowList, "appkit-state", losses: losses, reason)
  }

  private static func broken(
    _ name: String, _ code: String, _ reason: String, _ build: (inout RawSavedState) -> Void
  ) -> AppleFixture {
    var state = RawSavedState()
    build(&state)
    return refused("appkit/invalid/\(name)", state.log, windows: state.windowList, code, at: nil, reason)
  }

  private static func archive(_ title: String) -> [UInt8] {
    var archive = RawKeyedArchive()
    archive.top = [("NSTitle", archive.add(.string(title))), ("NSStyleMask", .integer(15)), ("NSIsKey", .bool(true))]
    return archive.bytes
  }

  private static func addApp(to state: inout RawSavedState) {
    state.addWindow(
      .max,
      [
        ("NSIsGlobal", .bool(true)), ("NSSystemVersion", .array([.integer(11), .integer(7), .integer(10)])),
        ("CFBundleVersion", .string("1234")), ("NSWindowZOrder", .array([.integer(3), .integer(1)])),
      ])
  }

  /// A window list with a title that begins with half of a surrogate pair.
  private static var oddTitle: AppleFixture {
    var state = RawSavedState()
    state.addWindow(3, [("NSTitle", .string("@ééé"))])
    state.addRecord(3, "_NSWindow", [("rchv", archive("Draft"))])
    var windows = state.windowList
    let place = windows.indices.first { windows[$0...].starts(with: [0x64, 0, 0x40]) } ?? 0
    windows.replaceSubrange((place + 1)..<(place + 3), with: [0xD8, 0x3D])
    return odd(
      "appkit/odd/lone-surrogate", state.log, windows: windows, "appkit-state", losses: 1, "ill-formed-text", at: place + 1,
      "a title that was cut within an emoji costs itself and nothing else")
  }

  static let appKitStates: [AppleFixture] = [
    appKit("every-part", "both versions, three kinds of chunks, a superseded record, a closed window, references") { state in
      state.addWindow(3, [("NSTitle", .string("Draft")), ("NSWindowFrame", .string("10 20 300 400 0 0 1440 900"))])
      addApp(to: &state)
      state.addWindow(1, [("NSIsMainMenuBar", .bool(true))])
      var referring = RawKeyedArchive()
      let identifier = referring.add(.string("_NSWindow"))
      referring.top = [
        ("responder", referring.add("NSPersistentUIEncodedReference", [("persistentIdentifier", identifier), ("windowID", .integer(3))]))
      ]
      let pushed = RawPropertyList(.object([("depth", .integer(2))])).bytes
      let urls = RawPropertyList(.array([.data([1, 2, 3])])).bytes
      state.addRecord(3, "_NSWindow", [("rchv", archive("Old"))])
      state.addRecord(9, "_NSWindow", [("rchv", archive("Closed"))])
      state.addRecord(3, "_NSWindow", [("kyds", pushed), ("rchv", archive("Draft")), ("surl", urls)], version: "0006")
      state.addRecord(3, "NSTextView", [("rchv", referring.bytes)])
      state.addRecord(1, "_NSMenuBar", [("rchv", archive("Menu"))], flags: 2)
    },
    appKit("no-records", losses: 1, "an empty log: the windows have no state") { addApp(to: &$0) },
    oddTitle,
    appKit("wrong-key", losses: 1, "a record that another key encrypted") { state in
      state.addWindow(3)
      state.addRecord(3, "_NSWindow", [("rchv", archive("Draft"))], key: RawSavedState.key(4))
    },
    appKit("record-cut-off", losses: 1, "the log ends in a record; the records before it are read") { state in
      state.addWindow(3)
      state.addRecord(3, "a", [("rchv", archive("A"))])
      state.addRecord(3, "b", [("rchv", archive("B"))])
      state.log.removeLast(8)
    },
    appKit("unknown-chunk", losses: 1, "a chunk of a tag that is not known is kept as bytes") { state in
      state.addWindow(3)
      state.addRecord(3, "a", [("rchv", archive("A")), ("next", [1, 2, 3])])
    },
    appKit("unreadable-chunk", losses: 1, "an archive that cannot be read is kept as bytes") { state in
      state.addWindow(3)
      state.addRecord(3, "a", [("rchv", Array("bplist00".utf8))])
    },
    valid("appkit/valid/log-alone", logAlone, "appkit-state", losses: 1, "data.data without its keys"),
    valid("appkit/valid/windows-alone", windowsAlone, "appkit-state", "windows.plist without its records"),
    broken("window-without-key", "window-list", "a window without NSDataKey") { state in
      state.windows = [.object([("NSWindowID", .integer(1))])]
    },
    broken("key-of-15-bytes", "window-list", "a key has 16 bytes") { state in
      state.windows = [.object([("NSWindowID", .integer(1)), ("NSDataKey", .data(Array(0..<15)))])]
    },
    broken("window-number-negative", "window-list", "a window's number has 32 bits") { state in
      state.windows = [.object([("NSWindowID", .integer(-1)), ("NSDataKey", .data(Array(0..<16)))])]
    },
    refused(
      "appkit/invalid/list-is-a-dictionary", [], windows: RawPropertyList(.object([])).bytes, "window-list", at: nil,
      "windows.plist is no array"),
  ]

  private static var logAlone: [UInt8] {
    var state = RawSavedState()
    state.addRecord(3, "a", [("rchv", archive("A"))])
    return state.log
  }

  private static var windowsAlone: [UInt8] {
    var state = RawSavedState()
    addApp(to: &state)
    return state.windowList
  }
}
