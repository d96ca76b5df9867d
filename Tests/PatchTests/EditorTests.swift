import Diagnostics
import Foundation
import PatchSyntax
import TestSupport
import Testing

/// Runs Neovim as configured in the manual, with its own client and the program.
@Suite(.enabled(if: Neovim.isInstalled, "nvim is not there"))
struct EditorTests {
  @Test
  func `Neovim shows findings, completes, hovers, lists, renames, mends and formats`() throws {
    let place = try Workplace()
    let setUp = try ReadmeTests.block("lua", of: ".github/manual/editors.md", after: "Neovim")
    try place.write(setUp, to: "init.lua")
    try place.write(Neovim.session, to: "session.lua")
    try place.write(Neovim.patch, to: "patches/test.json")
    for name in ["CONFIG", "DATA", "STATE", "CACHE"] {
      place.environment["XDG_\(name)_HOME"] = place.path("home")
    }
    let outcome = try place.shell(
      "PATH=\"${PATCHRUN%/*}:$PATH\" nvim --headless -n -u init.lua -S session.lua"
    ).wait()
    #expect(outcome.status == 0, "\(outcome.errors)\(outcome.output)")
    let data = Data(try place.bytes("results.json"))
    let results = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(results["codes"] as? [String] == ["PR0551"])
    #expect((results["labels"] as? [String])?.contains("maximumFramesPerSlice") == true)
    #expect((results["hover"] as? String)?.contains("MultichannelMixer") == true)
    #expect(results["symbols"] as? [String] == ["callbacks", "nodes", "connections"])
    #expect(results["references"] as? Int == 3)
    #expect(results["left"] as? Int == 0)
    let right = Neovim.patch.replacing("volum\"", with: "volume\"")
      .replacing("\"mixer\"", with: "\"desk\"")
    let formatted = PatchFormatter.format(SourceText(name: "test.json", text: right)).text ?? []
    #expect(results["text"] as? String == String(decoding: formatted, as: UTF8.self))
  }
}

private enum Neovim {
  static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/nvim") }

  /// A patch with one mistake that is not formatted.
  static let patch = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { "sound": { "kind": "tone" } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": { "0": { "parameters": { "volum": 0.5 } } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [{ "from": "sound", "to": "mixer" }, { "from": "mixer", "to": "io" }]
    }

    """

  /// The steps in the editor.
  static let session = """
    local results = {}

    local function wait(what, condition)
      if not vim.wait(20000, condition, 10) then error("nothing came: " .. what) end
    end

    local function text()
      return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n") .. "\\n"
    end

    local function go(pattern, offset)
      vim.api.nvim_win_set_cursor(0, { 1, 0 })
      assert(vim.fn.search(pattern, "c") > 0, pattern .. " is not there")
      local place = vim.api.nvim_win_get_cursor(0)
      vim.api.nvim_win_set_cursor(0, { place[1], place[2] + (offset or 0) })
    end

    local function ask(method, more)
      local parameters = vim.lsp.util.make_position_params(0, "utf-16")
      for key, value in pairs(more or {}) do parameters[key] = value end
      local answers = vim.lsp.buf_request_sync(0, method, parameters, 20000)
      for _, answer in pairs(answers or {}) do
        if answer.result then return answer.result end
      end
      error("no answer: " .. method)
    end

    local function run()
      vim.cmd("edit patches/test.json")
      wait("findings", function() return #vim.diagnostic.get(0) > 0 end)
      results.codes = vim.tbl_map(function(found) return found.code end, vim.diagnostic.get(0))

      go('"maximumFrames', 1)
      results.labels = vim.tbl_map(
        function(item) return item.label end, ask("textDocument/completion").items)

      go('MultichannelMixer', 3)
      vim.lsp.buf.hover()
      local function float()
        for _, window in ipairs(vim.api.nvim_list_wins()) do
          if vim.api.nvim_win_get_config(window).relative ~= "" then return window end
        end
      end
      wait("hover", function() return float() ~= nil end)
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float()), 0, -1, false)
      results.hover = table.concat(lines, "\\n")
      vim.api.nvim_win_close(float(), true)

      results.symbols = vim.tbl_map(
        function(symbol) return symbol.name end, ask("textDocument/documentSymbol"))
      go('"mixer": {', 2)
      results.references =
        #ask("textDocument/references", { context = { includeDeclaration = true } })

      vim.lsp.buf.rename("desk")
      wait("rename", function() return not text():find('"mixer"', 1, true) end)

      local all = ask("textDocument/codeAction", {
        range = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 0 } },
        context = { diagnostics = {}, only = { "source.fixAll" } },
      })
      vim.lsp.util.apply_workspace_edit(all[1].edit, "utf-16")
      wait("that nothing is found", function() return #vim.diagnostic.get(0) == 0 end)
      results.left = #vim.diagnostic.get(0)

      if vim.lsp.buf.format then vim.lsp.buf.format() else vim.lsp.buf.formatting_sync(nil, 20000) end
      results.text = text()
    end

    local isDone, problem = pcall(run)
    if not isDone then
      io.stderr:write(tostring(problem) .. "\\n")
      vim.cmd("cquit 1")
    end
    vim.fn.writefile({ vim.json.encode(results) }, "results.json")
    vim.cmd("qall!")
    """
}
