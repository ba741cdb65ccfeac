benchstat -format csv -confidence 1 old.txt
