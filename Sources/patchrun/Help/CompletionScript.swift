/// The completion scripts: `patchrun --generate-completion-script SHELL`. They contain no names of
/// commands, but ask the program, so that they are never out of date.
enum CompletionScript: String, CaseIterable {
  case bash, zsh, fish

  var text: String {
    switch self {
    case .bash: Self.bashText
    case .zsh: Self.zshText
    case .fish: Self.fishText
    }
  }

  private static let bashText = #"""
    # Completion of patchrun for bash: source this, or put it where bash-completion looks for it,
    # ~/.local/share/bash-completion/completions/patchrun

    _patchrun() {
        local IFS=$' \t\n' rest=${COMP_LINE:0:COMP_POINT} blank word quote i
        local -a words=() lines=()
        # The words as blanks separate them: readline splits at = and : as well.
        for ((i = 0; i <= COMP_CWORD; i++)); do
            blank=${rest%%[![:space:]]*}
            rest=${rest#"$blank"}
            word=${COMP_WORDS[i]}
            ((i == COMP_CWORD)) && word=$rest
            if [[ -z $blank && ${#words[@]} -gt 0 ]]; then
                words[${#words[@]} - 1]+=$word
            else
                words+=("$word")
            fi
            rest=${rest#"$word"}
        done
        for i in "${!words[@]}"; do
            word=${words[i]}
            quote=
            case $word in
            \'*) quote=\' word=${word#\'} word=${word%\'} ;;
            \"*) quote=\" word=${word#\"} word=${word%\"} ;;
            *) word=${word//\\/} ;;
            esac
            words[i]=$word
        done
        local current=${words[${#words[@]} - 1]}
        local program=${words[0]/#\~\//$HOME/}
        mapfile -t lines < <("$program" ---complete bash $((${#words[@]} - 1)) "${words[@]}" 2>/dev/null)
        ((${#lines[@]} > 0)) || return 0

        # What readline has split off in front of the word is not offered again.
        local cut=
        if [[ -z $quote ]]; then
            [[ $COMP_WORDBREAKS == *=* && $current == *=* ]] && cut=${current%"${current##*=}"}
            [[ $COMP_WORDBREAKS == *:* && ${current#"$cut"} == *:* ]] && cut=${current%"${current##*:}"}
        fi
        local head=${lines[0]}
        for ((i = 1; i < ${#lines[@]}; i++)); do
            word=${lines[i]%%$'\t'*}
            word=${word#"$cut"}
            [[ -z $quote ]] && printf -v word %q "$word"
            COMPREPLY+=("$word")
        done
        [[ $head == *goesOn* ]] && compopt -o nospace 2>/dev/null

        if [[ $head == *files:* || $head == *folders* ]]; then
            local prefix=${head#*prefix:}
            local path=${current:${prefix%% *}}
            path=${path/#\~\//$HOME/}
            compopt -o filenames 2>/dev/null
            while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$path")
            if [[ $head == *files:* ]]; then
                local endings=${head##*files:} ending
                endings=${endings%% *}
                for ending in ${endings//,/ }; do
                    while IFS= read -r word; do
                        COMPREPLY+=("$word")
                    done < <(compgen -f -X "!*.$ending" -- "$path")
                done
                if [[ -z $endings ]]; then
                    while IFS= read -r word; do
                        [[ -d $word ]] || COMPREPLY+=("$word")
                    done < <(compgen -f -- "$path")
                fi
            fi
        fi
        return 0
    }

    complete -o nosort -F _patchrun patchrun 2>/dev/null || complete -F _patchrun patchrun

    """#

  private static let zshText = #"""
    #compdef patchrun
    # Completion of patchrun for zsh: source this behind compinit, or put it as _patchrun into a folder
    # that $fpath has.

    _patchrun() {
        local -a asked lines described more
        local line head prefix endings
        asked=("${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}")
        asked[1]=${asked[1]/#\~\//$HOME/}
        lines=("${(@f)$("${asked[1]}" ---complete zsh $((CURRENT - 1)) "${asked[@]}" 2>/dev/null)}")
        head=$lines[1]
        [[ -n $head ]] || return 1
        shift lines

        local result=1
        for line in $lines; do
            # A colon separates a word from what it is.
            described+=("${${line%%$'\t'*}//:/\\:}")
            [[ $line == *$'\t'* ]] && described[-1]+=":${line#*$'\t'}"
        done
        [[ $head == *goesOn* ]] && more=(-S '')
        if ((${#described})); then
            _describe -V patchrun described "${more[@]}" && result=0
        fi
        if [[ $head == *files:* || $head == *folders* ]]; then
            prefix=${${head#*prefix:}%% *}
            ((prefix)) && compset -p $prefix
            if [[ $head == *files:* ]]; then
                endings=${${head##*files:}%% *}
                if [[ -n $endings ]]; then
                    _files -g "*.(${endings//,/|})" && result=0
                else
                    _files && result=0
                fi
            else
                _files -/ && result=0
            fi
        fi
        return result
    }

    if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
        _patchrun "$@"
    else
        compdef _patchrun patchrun
    fi

    """#

  private static let fishText = #"""
    # Completion of patchrun for fish: source this, or put it into
    # ~/.config/fish/completions/patchrun.fish

    function __patchrun_complete
        set -l words (commandline -opc)
        set -l current (commandline -ct | string unescape)
        test (count $current) -eq 0; and set current ''
        set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
        set -l lines (command $program ---complete fish (count $words) $words $current 2>/dev/null)
        test (count $lines) -eq 0; and return
        set -l head $lines[1]
        for line in $lines[2..-1]
            echo $line
        end
        string match -qr 'files:|folders' -- $head; or return
        set -l prefix (string replace -r '^prefix:(\d+).*' '$1' -- $head)
        set -l front (string sub -l $prefix -- $current)
        set -l path (string sub -s (math $prefix + 1) -- $current)
        set -l home (string match -r '^~/' -- $path)
        set path (string replace -r '^~/' "$HOME/" -- $path)
        set -l endings (string replace -rf '.*files:(\S*).*' '$1' -- $head | string split -n ,)
        for file in $path*
            set -l shown $file
            test -n "$home"; and set shown (string replace "$HOME/" '~/' -- $file)
            if test -d $file
                echo $front$shown/
            else if string match -q '*files:*' -- $head
                if test (count $endings) -eq 0
                    echo $front$shown
                else
                    for ending in $endings
                        string match -q "*.$ending" -- $file; and echo $front$shown
                    end
                end
            end
        end
    end

    complete -c patchrun -f -k -a '(__patchrun_complete)'

    """#
}
