/// Takes a result, so that making it cannot be optimized away.
@inline(never) func consume<Value>(_ value: borrowing Value) {}
