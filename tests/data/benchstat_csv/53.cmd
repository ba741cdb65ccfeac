benchstat -format csv -col note -confidence 0.99 ties.txt
